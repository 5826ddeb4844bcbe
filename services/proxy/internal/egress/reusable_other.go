//go:build !unix

package egress

import "net"

// newIdleCheck returns a function that always returns true, because the socket cannot be
// checked on this system. A call on a closed connection fails with an *Error of PhaseRequest
// that is marked as stale.
func newIdleCheck(net.Conn) func() bool { return func() bool { return true } }
