// Package httpserver serves HTTP on a listener until it is told to stop, and
// then lets what is running finish. Long streams are why it exists: it sets no
// deadline on whole requests (handlers set their own), and it drains in an
// order a load balancer can follow. It bounds connections, and what is wrong
// with a request before any handler sees it is answered in the shape of all
// our errors. It routes nothing.
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

// Config says how to serve. What is zero has a default, but for the bounds,
// which are then off.
type Config struct {
	Handler http.Handler
	Log     *slog.Logger
	// Drain is called when stopping begins, before anything is refused:
	// readiness turns to no here.
	Drain func()
	// Delay is how long new requests are still taken after that, so that a
	// balancer can notice.
	Delay time.Duration
	// Limit is how long running requests may go on; then their contexts end.
	Limit time.Duration
	// HeaderTimeout bounds reading a request's headers, MaxHeader their size.
	HeaderTimeout time.Duration
	MaxHeader     int
	// MaxConns bounds the connections. Some more are taken to tell clients
	// why they are refused, and for requests that are Vital: those are always
	// served.
	MaxConns int
	Vital    func(r *http.Request) bool
	// Trusted are the balancers whose word on the client's address is taken.
	Trusted Trusted
	// RequestID names an answer that no handler gave; nil leaves it unnamed.
	RequestID func() string
}

const (
	// defaultHeaderTimeout: a client that is slower only holds a connection.
	defaultHeaderTimeout = 10 * time.Second
	// idleTimeout is longer than the one of common balancers, so that they,
	// not we, close idle connections.
	idleTimeout      = 120 * time.Second
	defaultMaxHeader = 32 << 10
	// lastWords is how long handlers have to end after their contexts did.
	lastWords = 2 * time.Second
)

// errCut is why the contexts of requests end that outlast the limit; a client
// that leaves ends them without a reason.
var errCut = errors.New("the server is shutting down")

// Serve serves until ctx ends and everything has drained. It closes lis.
func Serve(ctx context.Context, lis net.Listener, c Config) error {
	stopping := make(chan struct{})
	base := context.WithValue(context.WithoutCancel(ctx), stoppingKey{}, (<-chan struct{})(stopping))
	requests, cut := context.WithCancelCause(base)
	defer cut(nil)
	c.MaxHeader = cmp.Or(c.MaxHeader, defaultMaxHeader)
	d := &door{Config: c}
	srv := &http.Server{
		Handler:           d,
		ReadHeaderTimeout: cmp.Or(c.HeaderTimeout, defaultHeaderTimeout),
		IdleTimeout:       idleTimeout,
		// The library adds this much for its own reasons.
		MaxHeaderBytes: max(1, c.MaxHeader-4<<10),
		ErrorLog:       slog.NewLogLogger(c.Log.Handler(), slog.LevelDebug),
		BaseContext:    func(net.Listener) context.Context { return requests },
		ConnContext:    remember,
		ConnState:      rest,
		// It would answer "OPTIONS *" by itself.
		DisableGeneralOptionsHandler: true,
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(&listener{Listener: lis, door: d}) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	d.draining.Store(true)
	close(stopping)
	return c.drain(srv, cut)
}

type stoppingKey struct{}

// Stopping is closed when the server that a request came to begins to stop, by
// the request's context. Whoever answers without an end watches it; others
// have the time of the limit to finish. It is nil, and never closed, where no
// Serve is.
func Stopping(ctx context.Context) <-chan struct{} {
	stopping, _ := ctx.Value(stoppingKey{}).(<-chan struct{})
	return stopping
}

// drain waits for running requests, then ends their contexts, then, when even
// that does not help, their connections.
func (c Config) drain(srv *http.Server, cut context.CancelCauseFunc) error {
	if c.Drain != nil {
		c.Drain()
	}
	if c.Delay > 0 {
		<-time.After(c.Delay)
	}
	if err := shutdown(srv, c.Limit); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	c.Log.Warn("requests still running at the drain limit are cut", "limit", c.Limit)
	cut(errCut)
	if err := shutdown(srv, lastWords); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return srv.Close()
}

func shutdown(srv *http.Server, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return srv.Shutdown(ctx)
}
