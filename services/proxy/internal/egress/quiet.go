package egress

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"time"
)

// quiet makes the question whether a waiting connection has neither ended nor
// said anything, which is answered without waiting: a call on one that the
// upstream has closed would fail for nothing, and one that has more to say
// would answer the next call with it.
func quiet(c net.Conn) func() bool {
	t, ok := c.(*tls.Conn)
	if !ok {
		return silent(c)
	}
	below := silent(t.NetConn())
	return func() bool { return below() && drained(t) }
}

// drained reports whether TLS holds nothing that came with the last answer. It
// looks at the deadline only when it needs more than it holds, and bears that
// it has gone by: the connection can be read again.
func drained(t *tls.Conn) bool {
	if t.SetReadDeadline(past) != nil {
		return false
	}
	var b [1]byte
	n, err := t.Read(b[:])
	return n == 0 && errors.Is(err, os.ErrDeadlineExceeded) && t.SetReadDeadline(time.Time{}) == nil
}
