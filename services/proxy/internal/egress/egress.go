// Package egress makes the HTTP transports that talk to providers. A base URL
// is an operator's word and a name's address is a stranger's, so the address
// that is dialled is judged after resolution: private and special ranges are
// refused unless the provider's entry allows them. Redirects are never
// followed, the environment's proxies never used, answers never decompressed.
// It speaks HTTP/1.1 on the caller's own goroutine: net/http's transport hands
// each call over to two more, which costs more than all else the gateway does.
// Where HTTP/2 is allowed and the upstream chooses it, net/http speaks that:
// many calls then share a few connections and handshakes. It knows no wire
// format and sets no deadline on an answer: the caller's context does.
package egress

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"net"
	"time"
)

const (
	defaultConnect = 3 * time.Second
	defaultTLS     = 3 * time.Second
	// maxIdle keeps a connection for every call of a busy moment: a new TLS
	// handshake costs more than an idle socket.
	maxIdle = 512
	// idleTimeout is how long a connection waits for its next call.
	idleTimeout = 90 * time.Second
	// maxHeader is far above what any provider sends and far below what would
	// hurt.
	maxHeader = 256 << 10
)

// Config says what a transport may do. The zero value is the safe one.
type Config struct {
	// AllowPrivate admits loopback, private and other special addresses.
	AllowPrivate bool
	// ConnectTimeout bounds resolving and connecting; 3 s when zero.
	ConnectTimeout time.Duration
	// TLSTimeout bounds the handshake; 3 s when zero.
	TLSTimeout time.Duration
	// HTTP2 offers HTTP/2 to upstreams with TLS.
	HTTP2 bool
	// Roots are the authorities that are believed; the system's when nil.
	Roots *x509.CertPool
}

// Transport makes calls over connections that it keeps. It is safe for
// concurrent use.
type Transport struct {
	dialer *dialer
	pool   pool
	// two is nil where HTTP/2 is not offered.
	two *second
}

var _ Caller = (*Transport)(nil)

// New makes a guarded transport.
func New(c Config) *Transport {
	t := &Transport{dialer: newDialer(c), pool: pool{idle: map[string][]*conn{}, timeout: idleTimeout, rest: restWithin}}
	if c.HTTP2 {
		t.two = newSecond(t.dialer)
	}
	return t
}

// CloseIdleConnections closes what waits for a call.
func (t *Transport) CloseIdleConnections() {
	t.pool.closeAll()
	if t.two != nil {
		t.two.transport.CloseIdleConnections()
	}
}

// Call makes one call. A connection that cannot be made is reported as an
// *Error.
func (t *Transport) Call(ctx context.Context, p Post) (Answer, error) {
	if t.two != nil && p.To.url.Scheme == "https" && !t.two.unwanted.Load() {
		resp, err := t.two.call(p.request(ctx)) //nolint:bodyclose // it is the answer's
		if !errors.Is(err, errUnwanted) {
			return answerOf(resp, err)
		}
	}
	return t.first(ctx, p)
}

// first makes the call over HTTP/1.1.
//
// A kept connection that ends before a byte of the answer is taken for one
// that the upstream was just closing, and the call is made once more, on a new
// connection. An upstream that dies while it works looks the same, so that a
// call may be carried out twice. That is rare, and the worst of it is the price
// of one answer nobody saw; the other way, every upstream that closes without
// saying so costs clients failures.
func (t *Transport) first(ctx context.Context, p Post) (Answer, error) {
	if c := t.pool.take(p.To.key); c != nil {
		a, err := c.call(ctx, p)
		if err == nil {
			return a, nil
		}
		_ = c.Close()
		if c.heard || ctx.Err() != nil || !ended(err) {
			return Answer{}, err
		}
	}
	c, err := t.connect(ctx, p.To)
	if err != nil {
		return Answer{}, err
	}
	a, err := c.call(ctx, p)
	if err != nil {
		_ = c.Close()
	}
	return a, err
}

func (t *Transport) connect(ctx context.Context, to *Address) (*conn, error) {
	dial, port := t.dialer.dial, "80"
	if to.url.Scheme == "https" {
		dial, port = t.dialer.dialHTTP1, "443"
	}
	raw, err := dial(ctx, "tcp", net.JoinHostPort(to.url.Hostname(), cmp.Or(to.url.Port(), port)))
	if err != nil {
		return nil, err
	}
	return newConn(raw, to.key, &t.pool), nil
}
