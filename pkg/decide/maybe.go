package decide

import "strconv"

// Maybe is a number that may not be known. A decision has many of them: none
// needs memory of its own.
type Maybe struct {
	N     int64
	Known bool
}

// Known is a number that is.
func Known(n int64) Maybe { return Maybe{N: n, Known: true} }

// Pointer is to the number itself; nil when it is not known.
func (m *Maybe) Pointer() *int64 {
	if !m.Known {
		return nil
	}
	return &m.N
}

// MarshalJSON writes null for what is not known.
func (m Maybe) MarshalJSON() ([]byte, error) {
	if !m.Known {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, m.N, 10), nil
}
