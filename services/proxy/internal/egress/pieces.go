package egress

import "io"

// pieces reads the body of a call, which it leaves as it is, so that it can be
// sent more than once.
type pieces struct {
	all [][]byte
	// at is the piece that is read next, and from where in it.
	at, from int
}

// Read copies as much as fits.
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

// again is the same body from its beginning.
func (b *pieces) again() (io.ReadCloser, error) { return &pieces{all: b.all}, nil }
