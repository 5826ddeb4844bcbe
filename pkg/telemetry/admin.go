package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/health"
	"github.com/signalbox/signalbox/pkg/httpserver"
)

const (
	readTimeout = 10 * time.Second
	// writeTimeout is long enough for a CPU profile of one minute.
	writeTimeout = 90 * time.Second
	maxHeader    = 16 << 10
	maxConns     = 256
	// stopTimeout is short, because a running metrics scrape must not delay the shutdown for long.
	stopTimeout = 2 * time.Second
)

// NewAdminHandler returns a handler for /metrics, /health, /readyz and /debug/pprof/.
func NewAdminHandler(ready *health.Readiness, metrics http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/metrics", metrics)
	mux.Handle("/health", ready.LiveHandler())
	mux.Handle("/readyz", ready.ReadyHandler())
	// /debug/pprof/cmdline is omitted, because a flag may contain a secret.
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		err := apperr.New(apperr.EndpointNotFound, "this path does not exist on the admin listener").
			With("paths", []string{"/metrics", "/health", "/readyz", "/debug/pprof/"})
		apperr.Write(w, err, apperr.Options{})
	})
	return mux
}

// ServeAdmin serves h until ctx is done, and then closes lis. If lis is nil, it only waits for ctx. It
// returns an error only if it cannot serve or close.
func ServeAdmin(ctx context.Context, lis net.Listener, h http.Handler) error {
	return serveAdmin(ctx, lis, h, stopTimeout)
}

func serveAdmin(ctx context.Context, lis net.Listener, h http.Handler, stopLimit time.Duration) error {
	if lis == nil {
		<-ctx.Done()
		return nil
	}
	err := httpserver.Serve(ctx, lis, httpserver.Config{
		Handler: limitTime(h), Log: slog.New(slog.DiscardHandler),
		HeaderTimeout: readTimeout, MaxHeader: maxHeader, MaxConns: maxConns, DrainLimit: stopLimit,
	})
	if err != nil {
		return fmt.Errorf("admin listener: %w", err)
	}
	return nil
}

// limitTime limits how long a client may take to send a body and to read the response.
func limitTime(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		_ = control.SetWriteDeadline(time.Now().Add(writeTimeout)) // httpserver supports deadlines
		if r.ContentLength != 0 {
			_ = control.SetReadDeadline(time.Now().Add(readTimeout))
		}
		h.ServeHTTP(w, r)
	})
}
