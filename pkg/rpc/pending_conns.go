package rpc

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// pendingConns holds the connections whose TLS or HTTP/2 handshake is not finished. A
// graceful stop of gRPC waits for each of these handshakes, although no call can be lost.
// So the connections are closed instead.
type pendingConns struct {
	mu      sync.Mutex
	closed  bool
	waiting map[net.Conn]struct{}
}

// add adds a connection. After close, it closes the connection instead.
func (l *pendingConns) add(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		_ = c.Close()
		return
	}
	if l.waiting == nil {
		l.waiting = map[net.Conn]struct{}{}
	}
	l.waiting[c] = struct{}{}
}

func (l *pendingConns) remove(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.waiting, c)
}

// isClosed reports whether close was called. A handshake that fails after that is expected.
func (l *pendingConns) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// close closes all pending connections, and makes add close new ones.
func (l *pendingConns) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for c := range l.waiting {
		_ = c.Close()
	}
}

// trackingListener is a listener that tracks its connections until their handshakes are
// finished. Because it wraps TCP connections, gRPC sets no TCP_USER_TIMEOUT on them.
// Keepalive pings still detect clients that died.
type trackingListener struct {
	net.Listener
	pending *pendingConns
}

// Accept waits for the next peer.
func (d *trackingListener) Accept() (net.Conn, error) {
	c, err := d.Listener.Accept()
	if err != nil {
		return nil, err
	}
	d.pending.add(c)
	return &pendingConn{Conn: c, pending: d.pending}, nil
}

// pendingConn detects the end of the handshakes: gRPC sets a deadline for them, and clears
// the deadline before it accepts the first call.
type pendingConn struct {
	net.Conn
	pending *pendingConns
	// handedOver is set when gRPC no longer owns the connection.
	handedOver atomic.Bool
}

// handOver takes the connection over from gRPC. gRPC clears the deadline once more when it
// notices this; SetDeadline ignores that.
func (c *pendingConn) handOver() {
	c.handedOver.Store(true)
	c.pending.remove(c.Conn)
}

// SetDeadline detects that gRPC clears the deadline, which ends the handshakes.
func (c *pendingConn) SetDeadline(t time.Time) error {
	if c.handedOver.Load() {
		return nil
	}
	if t.IsZero() {
		c.pending.remove(c.Conn)
	}
	return c.Conn.SetDeadline(t)
}

// Close closes the connection in any state.
func (c *pendingConn) Close() error {
	c.pending.remove(c.Conn)
	return c.Conn.Close()
}
