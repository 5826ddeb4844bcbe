// Package httpserver serves HTTP until its context is done and then drains gracefully. It is
// made for long streams: it sets no deadline on whole requests (handlers set their own), and
// load balancers have time to react before requests are rejected. It also limits
// connections, resolves client addresses behind trusted proxies, and rewrites the plain-text
// errors of net/http into the error format of apperr. It does no routing.
package httpserver

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Config configures Serve. Zero values have defaults, except that a zero MaxConns means no
// limit.
type Config struct {
	Handler http.Handler
	Log     *slog.Logger
	// OnDrain is called when draining starts, before any request is rejected. It should make
	// the readiness check of the process fail.
	OnDrain func()
	// DrainDelay is how long new requests are still accepted after OnDrain, so that a load
	// balancer can react.
	DrainDelay time.Duration
	// DrainLimit is how long running requests may continue before their contexts are
	// cancelled.
	DrainLimit time.Duration
	// HeaderTimeout bounds the time to read a request's headers.
	HeaderTimeout time.Duration
	// MaxHeader bounds the size of a request's headers in bytes.
	MaxHeader int
	// MaxConns limits connections. Some more connections are accepted to send an error
	// response.
	MaxConns int
	// IsVital selects requests that are served even on the extra connections.
	IsVital func(r *http.Request) bool
	// TrustedProxies are the load balancers whose X-Forwarded-For is trusted.
	TrustedProxies TrustedProxies
	// RequestID returns the id of a response that no handler wrote; nil means no id.
	RequestID func() string
	// PublicURL is the origin of the documentation that the error responses link to.
	PublicURL string
}

const (
	// defaultHeaderTimeout limits how long a slow client can hold a connection.
	defaultHeaderTimeout = 10 * time.Second
	// idleTimeout is longer than the idle timeout of common load balancers, so that they
	// close idle connections first.
	idleTimeout      = 120 * time.Second
	defaultMaxHeader = 32 << 10
	// cancelGrace is how long handlers have to return after their contexts are cancelled.
	cancelGrace = 2 * time.Second
)

// errDrainLimit is the cancellation cause of requests that exceed the drain limit. When a
// client disconnects, the context has no such cause.
var errDrainLimit = errors.New("the server is shutting down")

// Serve serves lis until ctx is done and all requests have drained. It closes lis.
func Serve(ctx context.Context, lis net.Listener, c Config) error {
	stopping := make(chan struct{})
	base := context.WithValue(context.WithoutCancel(ctx), drainSignalKey{}, (<-chan struct{})(stopping))
	requests, cancelRequests := context.WithCancelCause(base)
	defer cancelRequests(nil)
	c.MaxHeader = cmp.Or(c.MaxHeader, defaultMaxHeader)
	g := &gatekeeper{Config: c}
	srv := &http.Server{
		Handler:           g,
		ReadHeaderTimeout: cmp.Or(c.HeaderTimeout, defaultHeaderTimeout),
		IdleTimeout:       idleTimeout,
		// net/http adds 4 KiB to this limit.
		MaxHeaderBytes: max(1, c.MaxHeader-4<<10),
		ErrorLog:       slog.NewLogLogger(c.Log.Handler(), slog.LevelDebug),
		BaseContext:    func(net.Listener) context.Context { return requests },
		ConnContext:    storeConn,
		ConnState:      resetIdleConn,
		// net/http would otherwise respond to "OPTIONS *" itself.
		DisableGeneralOptionsHandler: true,
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(&listener{Listener: lis, gatekeeper: g}) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	g.draining.Store(true)
	close(stopping)
	return c.drain(srv, cancelRequests)
}

type drainSignalKey struct{}

// DrainSignal returns a channel that is closed when the server of the request starts to
// drain. Handlers with endless responses must watch it; other handlers may finish within the
// drain limit. The channel is nil outside of Serve.
func DrainSignal(ctx context.Context) <-chan struct{} {
	stopping, _ := ctx.Value(drainSignalKey{}).(<-chan struct{})
	return stopping
}

// drain waits for running requests, then cancels their contexts, and finally closes their
// connections.
func (c Config) drain(srv *http.Server, cancelRequests context.CancelCauseFunc) error {
	if c.OnDrain != nil {
		c.OnDrain()
	}
	if c.DrainDelay > 0 {
		<-time.After(c.DrainDelay)
	}
	if err := shutdown(srv, c.DrainLimit); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	c.Log.Warn("drain limit reached, cancelling running requests", "limit", c.DrainLimit)
	cancelRequests(errDrainLimit)
	if err := shutdown(srv, cancelGrace); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return srv.Close()
}

func shutdown(srv *http.Server, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return srv.Shutdown(ctx)
}
