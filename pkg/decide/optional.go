package decide

import "strconv"

// OptionalInt is a number that may be unknown. Unlike a pointer, it needs no
// allocation.
type OptionalInt struct {
	Value int64
	Known bool
}

// KnownInt returns an OptionalInt with a known value.
func KnownInt(n int64) OptionalInt { return OptionalInt{Value: n, Known: true} }

// Pointer returns a pointer to the value, or nil if the value is unknown.
func (o *OptionalInt) Pointer() *int64 {
	if !o.Known {
		return nil
	}
	return &o.Value
}

// MarshalJSON writes null for an unknown value.
func (o OptionalInt) MarshalJSON() ([]byte, error) {
	if !o.Known {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, o.Value, 10), nil
}
