package httpserver

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// server accepts connections. It knows all of them, so that it can close them.
type server struct {
	*gatekeeper
	listener net.Listener
	// base is the parent of all requests' contexts.
	base context.Context

	// stopping means that no new connection is accepted, and that connections end when they are idle.
	stopping atomic.Bool
	mu       sync.Mutex
	conns    map[*conn]struct{}
	// ended is closed when the server stops and the last connection has ended.
	ended chan struct{}
}

func newServer(g *gatekeeper, lis net.Listener, base context.Context) *server {
	return &server{gatekeeper: g, listener: lis, base: base, conns: map[*conn]struct{}{}, ended: make(chan struct{})}
}

// acceptPause is the pause after the process has run out of file descriptors.
const acceptPause = 50 * time.Millisecond

// run accepts connections until the listener is closed.
func (s *server) run() error {
	for isRetry := false; ; {
		nc, err := s.listener.Accept()
		switch {
		case err == nil:
			isRetry = false
			s.admit(nc)
		case errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE):
			if !isRetry {
				s.Log.Warn("a connection waits until a file descriptor is free", "err", err)
			}
			isRetry = true
			<-time.After(acceptPause)
		default:
			return err
		}
	}
}

// admit serves a connection, or closes it if there are too many.
func (s *server) admit(nc net.Conn) {
	c := newConn(s, nc)
	if !s.table.add(c) {
		_ = nc.Close()
		return
	}
	s.mu.Lock()
	stopping := s.stopping.Load()
	if !stopping {
		s.conns[c] = struct{}{}
	}
	s.mu.Unlock()
	if stopping {
		c.close()
		return
	}
	go c.serve()
}

func (s *server) forget(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	s.checkEndedLocked()
}

func (s *server) checkEndedLocked() {
	if !s.stopping.Load() || len(s.conns) > 0 {
		return
	}
	select {
	case <-s.ended:
	default:
		close(s.ended)
	}
}

// shutdown stops accepting, ends idle connections, and waits for the others until the limit. It
// reports whether all have ended.
func (s *server) shutdown(limit time.Duration) bool {
	_ = s.listener.Close()
	s.mu.Lock()
	s.stopping.Store(true)
	for c := range s.conns {
		c.stopIfIdle()
	}
	s.checkEndedLocked()
	s.mu.Unlock()
	select {
	case <-s.ended:
		return true
	case <-time.After(limit):
		return false
	}
}

// closeAll closes the connections whose handlers have not returned.
func (s *server) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close()
	}
}
