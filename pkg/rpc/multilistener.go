package rpc

import (
	"errors"
	"net"
	"sync"
)

// JoinListeners combines several listeners into one. The result has the address of the
// first listener. Closing it closes all listeners.
func JoinListeners(first net.Listener, more ...net.Listener) net.Listener {
	j := &multiListener{Listener: first, listeners: append([]net.Listener{first}, more...), accepted: make(chan acceptResult), closed: make(chan struct{})}
	for _, lis := range j.listeners {
		j.waiting.Go(func() { j.collect(lis) })
	}
	return j
}

type acceptResult struct {
	conn net.Conn
	err  error
}

type multiListener struct {
	net.Listener
	listeners []net.Listener
	accepted  chan acceptResult
	closed    chan struct{}
	once      sync.Once
	waiting   sync.WaitGroup
}

// collect passes connections and errors to Accept until the listener is closed. It
// continues after an error, because the server decides which errors are temporary.
func (j *multiListener) collect(lis net.Listener) {
	for {
		conn, err := lis.Accept()
		select {
		case j.accepted <- acceptResult{conn, err}:
		case <-j.closed:
			if err == nil {
				_ = conn.Close()
			}
			return
		}
	}
}

// Accept waits for the next connection of any listener.
func (j *multiListener) Accept() (net.Conn, error) {
	select {
	case a := <-j.accepted:
		return a.conn, a.err
	case <-j.closed:
		return nil, net.ErrClosed
	}
}

// Close closes all listeners and waits until none of them accepts connections any more.
func (j *multiListener) Close() error {
	var err error
	j.once.Do(func() {
		close(j.closed)
		for _, lis := range j.listeners {
			err = errors.Join(err, lis.Close())
		}
		j.waiting.Wait()
	})
	return err
}
