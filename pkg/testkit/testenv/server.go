package testenv

import (
	"sync"
	"syscall"
	"time"
)

// restartDelay is the delay before KeepRunning restarts a dead server.
const restartDelay = 100 * time.Millisecond

// Server is a running temporary server that does not belong to a test. The caller must call Stop.
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
	name, err := p.createDatabase(emptyTemplate)
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

// StartRedis starts a redis-server with the given arguments; see Redis.
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

// PID returns the id of the main process.
func (s *Server) PID() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.proc.cmd.Process.Pid
}

// KeepRunning restarts the server whenever it dies, until Stop is called. The address and the data on disk
// stay the same.
func (s *Server) KeepRunning() {
	go func() {
		for s.restartAfterExit() {
			<-time.After(restartDelay)
		}
	}()
}

// restartAfterExit waits until the server has died. It restarts the server unless Down was called. It
// returns false after Stop.
func (s *Server) restartAfterExit() bool {
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

// Down kills the server. KeepRunning restarts it only after up is called.
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

// Stop stops the server and removes its data.
func (s *Server) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	s.remove()
}
