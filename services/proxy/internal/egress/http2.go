package egress

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	// pingAfter is how long a connection with calls may receive nothing before a ping is sent.
	// Models can think for minutes, so silence alone does not mean that a connection is dead.
	pingAfter = 15 * time.Second
	// pongTimeout is how long the pong may take.
	pongTimeout = 5 * time.Second
	// writeStall is how long an upstream may go without reading the data that was sent.
	writeStall = 30 * time.Second
)

// errNoHTTP2 means that the upstream does not support HTTP/2.
var errNoHTTP2 = errors.New("the upstream does not support HTTP/2")

// http2Caller makes calls over HTTP/2.
type http2Caller struct {
	transport *http.Transport
	dialer    *dialer
	// unsupported is set permanently when the upstream chooses HTTP/1.1.
	unsupported atomic.Bool
}

func newHTTP2Caller(d *dialer) *http2Caller {
	s := &http2Caller{dialer: d}
	s.transport = &http.Transport{
		DialTLSContext:         s.dial,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeader,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pongTimeout, WriteByteTimeout: writeStall},
	}
	return s
}

func (s *http2Caller) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := s.dialer.dialTLS(ctx, network, address, "h2", "http/1.1")
	if err != nil {
		return nil, err
	}
	if conn.ConnectionState().NegotiatedProtocol != "h2" {
		s.unsupported.Store(true)
		_ = conn.Close()
		return nil, errNoHTTP2
	}
	return conn, nil
}

// call makes a call over HTTP/2. If the upstream does not support HTTP/2, it returns errNoHTTP2
// and has not read the request's body. If the upstream closes the connection or rejects the
// stream unprocessed after the body was sent, it returns an *Error of PhaseRequest.
func (s *http2Caller) call(req *http.Request) (*http.Response, error) {
	if req.Body == http.NoBody {
		return s.transport.RoundTrip(req)
	}
	l := newBodyLoan(req)
	resp, err := s.transport.RoundTrip(l.request(req))
	if err == nil && resp.StatusCode < http.StatusMultipleChoices {
		l.waitSent(req.Context())
	}
	l.end()
	if !errors.Is(err, errNoHTTP2) {
		_ = req.Body.Close()
	}
	if errors.Is(err, errBodyUsed) {
		err = lostError(err, true)
	}
	return resp, err
}
