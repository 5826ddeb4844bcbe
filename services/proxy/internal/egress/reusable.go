package egress

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"time"
)

// reusableCheck returns a function that checks an idle connection without blocking. It reports
// whether the connection is still open and has no unread data. A call on a closed connection
// would fail. Unread data would be mistaken for the response to the next call.
func reusableCheck(c net.Conn) func() bool {
	t, ok := c.(*tls.Conn)
	if !ok {
		return newIdleCheck(c)
	}
	socketCheck := newIdleCheck(t.NetConn())
	return func() bool { return socketCheck() && tlsIsDrained(t) }
}

// tlsIsDrained reports whether TLS has no buffered data left from the last response. It reads
// with an expired deadline: crypto/tls checks the deadline only when it needs more data, and the
// connection can be used again afterwards.
func tlsIsDrained(t *tls.Conn) bool {
	if t.SetReadDeadline(past) != nil {
		return false
	}
	var b [1]byte
	n, err := t.Read(b[:])
	return n == 0 && errors.Is(err, os.ErrDeadlineExceeded) && t.SetReadDeadline(time.Time{}) == nil
}
