// Package httpserver serves HTTP/1.1 until its context is done, and then drains: running requests can
// finish. It is made for long streams, so it sets no deadline on whole requests; handlers set their
// own. It limits connections and finds client addresses behind trusted proxies. A request that no
// handler should receive gets an error of apperr. It does no routing.
//
// Handlers are those of net/http, the server is not. One goroutine serves a connection. net/http's
// server starts a second one for each request, to notice that the client disconnects; here it starts
// only if a handler runs for longer than watchDelay. A response is sent with one system call, and
// deadlines are set only before a call that may wait. In `make bench-edge`, a proxy takes 114 us of CPU
// time per request instead of 138, which is 17 % less, and 161 instead of 192 with a call to the
// router. In BenchmarkServers a request takes 30 us instead of 40, clients included.
//
// The package also rejects requests that net/http repairs silently: see readRequest. FuzzSameAsNetHTTP
// compares both. HTTP/2, TLS, Hijack, trailers of requests and informational responses are not supported.
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

// Config configures Serve. Handler and Log are required.
type Config struct {
	Handler http.Handler
	Log     *slog.Logger
	// OnDrain is called when draining starts, before requests are rejected. It should make the
	// readiness check of the process fail. OnDrain may be nil.
	OnDrain func()
	// DrainDelay is how long new requests are still accepted after OnDrain. Load balancers need
	// this time to stop sending requests.
	DrainDelay time.Duration
	// DrainLimit is how long running requests may continue after DrainDelay. Then their
	// contexts are canceled.
	DrainLimit time.Duration
	// HeaderTimeout limits the time to read a request's headers. The default is 10 seconds.
	HeaderTimeout time.Duration
	// MaxHeader limits the size of a request's headers in bytes. The default is 32 KiB.
	MaxHeader int
	// MaxConns limits the open connections; zero means no limit. At the limit, a new connection
	// replaces the oldest idle one, or else one whose headers are late. If there is none, a few extra
	// connections are accepted, to respond with an error. The last eighth is for addresses that hold
	// less than half of the connections; trusted proxies count as their clients.
	MaxConns int
	// IsVital selects requests that are served even on extra connections, such as health checks.
	// It may be nil.
	IsVital func(r *http.Request) bool
	// TrustedProxies are the load balancers whose X-Forwarded-For is trusted.
	TrustedProxies TrustedProxies
	// RequestID returns a new id for each response that no handler wrote. Nil means no id.
	RequestID func() string
	// PublicURL is the scheme and host of the documentation to which error responses link.
	PublicURL string
}

const (
	// defaultHeaderTimeout limits how long a slow client can occupy a connection.
	defaultHeaderTimeout = 10 * time.Second
	// idleTimeout is longer than the idle timeout of common load balancers. So the load balancer
	// closes an idle connection first, and does not send a request while the server closes it.
	idleTimeout      = 120 * time.Second
	defaultMaxHeader = 32 << 10
)

// Only tests change these limits, before any server starts.
var (
	// busyHeaderTimeout replaces a longer header timeout while few connections are free. At the limit,
	// a new connection can replace one whose headers are later than this.
	busyHeaderTimeout = 2 * time.Second
	// cancelGrace is how long handlers have to return after their contexts are canceled.
	cancelGrace = 2 * time.Second
)

// errDrainLimit is the cancellation cause of requests that exceed DrainLimit. It distinguishes them
// from requests whose client disconnected.
var errDrainLimit = errors.New("the server is shutting down")

// Serve serves lis until ctx is done and all requests have finished or were canceled. It closes lis.
func Serve(ctx context.Context, lis net.Listener, c Config) error {
	stopping := make(chan struct{})
	base := context.WithValue(context.WithoutCancel(ctx), drainSignalKey{}, (<-chan struct{})(stopping))
	requests, cancelRequests := context.WithCancelCause(base)
	defer cancelRequests(nil)
	c.MaxHeader = cmp.Or(c.MaxHeader, defaultMaxHeader)
	s := newServer(&gatekeeper{Config: c, table: connTable{max: c.MaxConns}}, lis, requests)
	failed := make(chan error, 1)
	go func() { failed <- s.run() }()
	select {
	case err := <-failed:
		_ = lis.Close()
		s.closeAll()
		return err
	case <-ctx.Done():
	}
	s.draining.Store(true)
	close(stopping)
	s.drain(cancelRequests)
	return nil
}

type drainSignalKey struct{}

// DrainSignal returns a channel that is closed when the server of the request starts to drain.
// Handlers with endless responses must watch it. Other handlers may finish within DrainLimit. The
// channel is nil if Serve does not serve the request.
func DrainSignal(ctx context.Context) <-chan struct{} {
	stopping, _ := ctx.Value(drainSignalKey{}).(<-chan struct{})
	return stopping
}

// drain waits for running requests. After DrainLimit it cancels their contexts, and after cancelGrace
// it closes their connections.
func (s *server) drain(cancelRequests context.CancelCauseFunc) {
	if s.OnDrain != nil {
		s.OnDrain()
	}
	if s.DrainDelay > 0 {
		<-time.After(s.DrainDelay)
	}
	if s.shutdown(s.DrainLimit) {
		return
	}
	s.Log.Warn("drain limit reached, canceling running requests", "limit", s.DrainLimit)
	cancelRequests(errDrainLimit)
	if !s.shutdown(cancelGrace) {
		s.closeAll()
	}
}
