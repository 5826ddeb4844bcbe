package rpc

import (
	"net"
	"sync"
)

// Join makes one listener of several, for a server that is reached in more
// than one way. Its address is the first one's; closing it closes all.
func Join(first net.Listener, more ...net.Listener) net.Listener {
	j := &joined{Listener: first, all: append([]net.Listener{first}, more...), came: make(chan arrival), closed: make(chan struct{})}
	for _, lis := range j.all {
		j.waiting.Go(func() { j.collect(lis) })
	}
	return j
}

type arrival struct {
	conn net.Conn
	err  error
}

type joined struct {
	net.Listener
	all     []net.Listener
	came    chan arrival
	closed  chan struct{}
	once    sync.Once
	waiting sync.WaitGroup
}

// collect goes on after an error for as long as it is asked: the server knows
// which ones pass.
func (j *joined) collect(lis net.Listener) {
	for {
		conn, err := lis.Accept()
		select {
		case j.came <- arrival{conn, err}:
		case <-j.closed:
			if err == nil {
				_ = conn.Close()
			}
			return
		}
	}
}

// Accept waits for the next peer of any listener.
func (j *joined) Accept() (net.Conn, error) {
	select {
	case a := <-j.came:
		return a.conn, a.err
	case <-j.closed:
		return nil, net.ErrClosed
	}
}

// Close ends all listeners and waits until nobody accepts any more.
func (j *joined) Close() error {
	var err error
	j.once.Do(func() {
		close(j.closed)
		for _, lis := range j.all {
			if e := lis.Close(); e != nil && err == nil {
				err = e
			}
		}
		j.waiting.Wait()
	})
	return err
}
