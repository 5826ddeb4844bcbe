package upstream

import (
	"io"
	"net"
)

// outbound is the body of a call in pieces, which it leaves as they are, so that it
// can be sent more than once.
type outbound struct {
	pieces [][]byte
	// at is the piece that is read next, and from where in it.
	at, from int
}

func (b *outbound) length() int64 {
	n := 0
	for _, piece := range b.pieces {
		n += len(piece)
	}
	return int64(n)
}

// Read copies as much as fits.
func (b *outbound) Read(p []byte) (int, error) {
	n := 0
	for b.at < len(b.pieces) {
		m := copy(p[n:], b.pieces[b.at][b.from:])
		n, b.from = n+m, b.from+m
		if b.from < len(b.pieces[b.at]) {
			return n, nil
		}
		b.at, b.from = b.at+1, 0
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// WriteTo writes what was not read yet, with one call of the system where w is
// a plain connection.
func (b *outbound) WriteTo(w io.Writer) (int64, error) {
	if b.at == len(b.pieces) {
		return 0, nil
	}
	left := append(net.Buffers(nil), b.pieces[b.at:]...) // which are used up
	left[0] = left[0][b.from:]
	b.at, b.from = len(b.pieces), 0
	return left.WriteTo(w)
}

// Close does nothing.
func (b *outbound) Close() error { return nil }

// again is the same body from its beginning.
func (b *outbound) again() (io.ReadCloser, error) { return &outbound{pieces: b.pieces}, nil }
