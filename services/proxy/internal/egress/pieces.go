package egress

import "io"

// pieces reads the body of a call without modifying it, so that it can be sent again.
type pieces struct {
	all [][]byte
	// at is the index of the next piece. from is the offset in that piece.
	at, from int
}

// Read copies as many bytes as fit.
func (b *pieces) Read(p []byte) (int, error) {
	n := 0
	for b.at < len(b.all) {
		m := copy(p[n:], b.all[b.at][b.from:])
		n, b.from = n+m, b.from+m
		if b.from < len(b.all[b.at]) {
			return n, nil
		}
		b.at, b.from = b.at+1, 0
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Close does nothing.
func (b *pieces) Close() error { return nil }

// reopen returns the same body from its start.
func (b *pieces) reopen() (io.ReadCloser, error) { return &pieces{all: b.all}, nil }
