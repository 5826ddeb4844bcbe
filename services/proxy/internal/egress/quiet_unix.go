//go:build unix

package egress

import (
	"crypto/tls"
	"net"
	"syscall"
)

// quiet makes the question whether a waiting connection has neither ended nor
// said anything, which is answered without waiting: a call on one that the
// upstream has closed would fail for nothing.
func quiet(c net.Conn) func() bool {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	sc, ok := c.(syscall.Conn)
	if !ok {
		return func() bool { return true }
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return func() bool { return false }
	}
	var b [1]byte
	good := false
	peek := func(fd uintptr) bool {
		_, _, errno := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		good = errno == syscall.EAGAIN || errno == syscall.EWOULDBLOCK
		return true
	}
	return func() bool { return raw.Read(peek) == nil && good }
}
