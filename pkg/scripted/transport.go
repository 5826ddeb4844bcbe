package scripted

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// Transport responds to every call with a, through net/http on both sides but without a
// network. Each connection serves one call, so nothing needs to be closed. It is safe for
// concurrent use.
func Transport(a Response) *http.Transport {
	return &http.Transport{
		DisableKeepAlives:  true,
		DisableCompression: true,
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			u := New(func(Received) Response { return a })
			go func() { _ = u.server.Serve(&single{conn: far}) }()
			return near, nil
		},
	}
}

// single is a listener that returns one connection.
type single struct {
	once sync.Once
	conn net.Conn
}

func (s *single) Accept() (conn net.Conn, err error) {
	err = net.ErrClosed
	s.once.Do(func() { conn, err = s.conn, nil })
	return conn, err
}

func (s *single) Close() error   { return nil }
func (s *single) Addr() net.Addr { return s.conn.LocalAddr() }
