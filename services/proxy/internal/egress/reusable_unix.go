//go:build unix

package egress

import (
	"net"
	"syscall"
)

// newIdleCheck returns a function that reports whether the socket is open and has no unread
// data. The function only peeks, so that no data is consumed. For a connection without a
// file descriptor, the function always returns true.
func newIdleCheck(c net.Conn) func() bool {
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
