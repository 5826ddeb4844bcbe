package scripted

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// Transport returns an http.Transport that sends the same response to every call, without a network.
// Client and server still run the real net/http code. Each connection serves one call, so nothing needs
// to be closed. The transport is safe for concurrent use.
func Transport(response Response) *http.Transport {
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err == nil {
			response.Play(w, r)
		}
	})}
	return &http.Transport{
		DisableKeepAlives:  true,
		DisableCompression: true,
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			go func() { _ = server.Serve(&singleListener{conn: far}) }()
			return near, nil
		},
	}
}

type singleListener struct {
	once sync.Once
	conn net.Conn
}

func (s *singleListener) Accept() (conn net.Conn, err error) {
	err = net.ErrClosed
	s.once.Do(func() { conn, err = s.conn, nil })
	return conn, err
}

func (s *singleListener) Close() error   { return nil }
func (s *singleListener) Addr() net.Addr { return s.conn.LocalAddr() }
