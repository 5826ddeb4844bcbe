package egress

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"time"
)

// reusableCheck returns a function that reports, without blocking, whether an idle connection is still
// open and has no unread data. A call on a closed connection would fail. Unread data would be
// taken for the response to the next call.
func reusableCheck(c net.Conn) func() bool {
	t, ok := c.(*tls.Conn)
	if !ok {
		return socketIsIdle(c)
	}
	below := socketIsIdle(t.NetConn())
	return func() bool { return below() && tlsIsDrained(t) }
}

// tlsIsDrained reports whether TLS has no buffered data left from the last response. crypto/tls
// checks the deadline only when it needs more data, and can be read again after it expired.
func tlsIsDrained(t *tls.Conn) bool {
	if t.SetReadDeadline(past) != nil {
		return false
	}
	var b [1]byte
	n, err := t.Read(b[:])
	return n == 0 && errors.Is(err, os.ErrDeadlineExceeded) && t.SetReadDeadline(time.Time{}) == nil
}
