package rpc

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// lobby holds the connections whose peers have not finished their handshakes,
// that of TLS and that of HTTP/2. A graceful stop of gRPC waits for each of
// them until the greeting is over, although nothing of theirs can be lost:
// these are closed instead.
type lobby struct {
	mu      sync.Mutex
	closed  bool
	waiting map[net.Conn]struct{}
}

// enter lets a connection in, or closes it when nobody is let in any more.
func (l *lobby) enter(c net.Conn) {
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

func (l *lobby) leave(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.waiting, c)
}

// isClosed tells a peer that was turned away from one that failed.
func (l *lobby) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// close turns away whoever waits and whoever comes.
func (l *lobby) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for c := range l.waiting {
		_ = c.Close()
	}
}

// door is a listener whose connections go through the lobby. gRPC sets no
// TCP_USER_TIMEOUT on what is not a bare TCP connection; clients that died are
// found by keepalive all the same.
type door struct {
	net.Listener
	lobby *lobby
}

// Accept waits for the next peer.
func (d *door) Accept() (net.Conn, error) {
	c, err := d.Listener.Accept()
	if err != nil {
		return nil, err
	}
	d.lobby.enter(c)
	return &newcomer{Conn: c, lobby: d.lobby}, nil
}

// newcomer watches for the end of the handshakes: gRPC gives them a deadline,
// and lifts it when they are done and before the first call is taken.
type newcomer struct {
	net.Conn
	lobby *lobby
	// dispatched is set when the connection is not gRPC's any more.
	dispatched atomic.Bool
}

// dispatch takes the connection out of gRPC's hands, which lifts its deadline
// once more when it has noticed.
func (c *newcomer) dispatch() {
	c.dispatched.Store(true)
	c.lobby.leave(c.Conn)
}

// SetDeadline is how gRPC says how far it is.
func (c *newcomer) SetDeadline(t time.Time) error {
	if c.dispatched.Load() {
		return nil
	}
	if t.IsZero() {
		c.lobby.leave(c.Conn)
	}
	return c.Conn.SetDeadline(t)
}

// Close ends the connection wherever it is.
func (c *newcomer) Close() error {
	c.lobby.leave(c.Conn)
	return c.Conn.Close()
}
