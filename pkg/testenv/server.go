package testenv

import (
	"sync"
	"syscall"
	"time"
)

// again is how soon a kept server that died is started again.
const again = 100 * time.Millisecond

// Server is a running throw-away server, for programs that outlive a test.
type Server struct {
	URL string

	mu      sync.Mutex
	stopped bool
	down    bool
	proc    *process
	launch  func() (*process, error)
	remove  func()
}

// StartPostgres starts a server with one empty database.
func StartPostgres() (*Server, error) {
	p, err := startPostgres()
	if err != nil {
		return nil, err
	}
	name, err := p.createDatabase()
	if err != nil {
		p.stop()
		return nil, err
	}
	launch := func() (*process, error) {
		err := p.relaunch()
		return p.proc, err
	}
	return &Server{URL: p.url(name), proc: p.proc, launch: launch, remove: p.stop}, nil
}

// StartRedis starts a redis-server with args, as Redis does.
func StartRedis(args ...string) (*Server, error) {
	r, err := startRedis(args)
	if err != nil {
		return nil, err
	}
	launch := func() (*process, error) {
		err := r.launch()
		return r.proc, err
	}
	return &Server{URL: r.url(), proc: r.proc, launch: launch, remove: r.stop}, nil
}

// PID is that of its main process.
func (s *Server) PID() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.proc.cmd.Process.Pid
}

// Keep starts the server again, at the same address and with what it kept,
// whenever it dies, until Stop.
func (s *Server) Keep() {
	go func() {
		for s.revive() {
			<-time.After(again)
		}
	}()
}

// revive waits for the server's death and starts it again; it reports whether
// to go on.
func (s *Server) revive() bool {
	s.mu.Lock()
	exited := s.proc.exited
	s.mu.Unlock()
	<-exited
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return false
	}
	if s.down {
		return true
	}
	if proc, err := s.launch(); err == nil {
		s.proc = proc
	}
	return true
}

// Down kills it and holds Keep back until up is called.
func (s *Server) Down() (up func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = true
	s.proc.stop(syscall.SIGKILL)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.down = false
	}
}

// Stop ends it and removes what it kept.
func (s *Server) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	s.remove()
}
