// Package egress makes the HTTP clients that talk to providers. A base URL is
// an operator's word and a name's address is a stranger's, so the address that
// is dialled is judged after resolution: private and special ranges are
// refused unless the provider's entry allows them. Redirects are never
// followed and the environment's proxies are never used. It knows no wire
// format and sets no deadline on an answer: the caller's context does.
package egress

import (
	"net/http"
	"time"
)

const (
	defaultConnect = 3 * time.Second
	defaultTLS     = 3 * time.Second
	// idleConns keeps a connection for every call of a busy moment: a new TLS
	// handshake costs more than an idle socket.
	idleConns   = 512
	idleTimeout = 90 * time.Second
	pingAfter   = 15 * time.Second
	pingWithin  = 5 * time.Second
	// maxHeader is far above what any provider sends and far below what would
	// hurt.
	maxHeader = 256 << 10
)

// Config says what a client may do. The zero value is the safe one.
type Config struct {
	// AllowPrivate admits loopback, private and other special addresses.
	AllowPrivate bool
	// ConnectTimeout bounds resolving and connecting; 3 s when zero.
	ConnectTimeout time.Duration
	// TLSTimeout bounds the handshake; 3 s when zero.
	TLSTimeout time.Duration
}

// Client makes a client on its own Transport. It returns a redirect as the
// answer it is. It is safe for concurrent use.
func Client(c Config) *http.Client {
	return &http.Client{
		Transport:     Transport(c),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Transport makes a guarded transport. A connection that cannot be made is
// reported as an *Error. Answers are never decompressed: none is asked for.
func Transport(c Config) *http.Transport {
	return newDialer(c).transport()
}

func (d *dialer) transport() *http.Transport {
	return &http.Transport{
		DialContext:            d.dial,
		DialTLSContext:         d.dialTLS,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxIdleConnsPerHost:    idleConns,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeader,
		// One dead HTTP/2 connection would otherwise take every call with it.
		HTTP2: &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingWithin},
	}
}
