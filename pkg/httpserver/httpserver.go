// Package httpserver serves HTTP on a listener until it is told to stop, and
// then lets what is running finish. Long streams are why it exists: it sets no
// deadline on whole requests (handlers set their own), and it drains in an
// order a load balancer can follow. It routes nothing.
package httpserver

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// Config says how to serve.
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
}

const (
	// headerTimeout bounds reading a request's headers: a client that is
	// slower than that only holds a connection.
	headerTimeout = 10 * time.Second
	// idleTimeout is longer than the one of common balancers, so that they,
	// not we, close idle connections.
	idleTimeout    = 120 * time.Second
	maxHeaderBytes = 32 << 10
	// lastWords is how long handlers have to end after their contexts did.
	lastWords = 2 * time.Second
)

// errCut is why the contexts of requests end that outlast the limit; a client
// that leaves ends them without a reason.
var errCut = errors.New("the server is shutting down")

// Serve serves until ctx ends and everything has drained. It closes lis.
func Serve(ctx context.Context, lis net.Listener, c Config) error {
	requests, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(nil)
	var draining atomic.Bool
	srv := &http.Server{
		Handler:           turningAway(c.Handler, &draining),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(c.Log.Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return requests },
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(lis) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	draining.Store(true)
	return c.drain(srv, cut)
}

// turningAway asks clients to come back over another connection once a stop
// has begun. Closing the idle connections at once would be simpler, and would
// hit those on which a request is just arriving.
func turningAway(h http.Handler, draining *atomic.Bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if draining.Load() {
			w.Header().Set("Connection", "close")
		}
		h.ServeHTTP(w, r)
	})
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
