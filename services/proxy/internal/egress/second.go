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
	// silence is how long nothing may come over a connection with calls on it
	// before the upstream is asked whether it lives, and pong how long it may
	// take to say so: models think for minutes, dead connections for ever.
	silence = 15 * time.Second
	pong    = 5 * time.Second
	// stuck is how long an upstream may take nothing of what is sent.
	stuck = 30 * time.Second
)

// errUnwanted is the end of a call to an upstream that has no HTTP/2.
var errUnwanted = errors.New("the upstream does not speak HTTP/2")

// second makes calls over HTTP/2.
type second struct {
	transport *http.Transport
	dialer    *dialer
	// unwanted is set for good by an upstream that chose HTTP/1.1.
	unwanted atomic.Bool
}

func newSecond(d *dialer) *second {
	s := &second{dialer: d}
	s.transport = &http.Transport{
		DialTLSContext:         s.dial,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeader,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: silence, PingTimeout: pong, WriteByteTimeout: stuck},
	}
	return s
}

func (s *second) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := s.dialer.dialTLS(ctx, network, address, "h2", "http/1.1")
	if err != nil {
		return nil, err
	}
	if conn.ConnectionState().NegotiatedProtocol != "h2" {
		s.unwanted.Store(true)
		_ = conn.Close()
		return nil, errUnwanted
	}
	return conn, nil
}

// call returns errUnwanted, with nothing of the request used, where the upstream does not
// speak HTTP/2.
func (s *second) call(req *http.Request) (*http.Response, error) {
	if req.Body == http.NoBody {
		return s.transport.RoundTrip(req)
	}
	l := newLoan(req)
	resp, err := s.transport.RoundTrip(l.request(req))
	if err == nil && resp.StatusCode < http.StatusMultipleChoices {
		l.wait(req.Context())
	}
	l.end()
	if !errors.Is(err, errUnwanted) {
		_ = req.Body.Close()
	}
	return resp, err
}
