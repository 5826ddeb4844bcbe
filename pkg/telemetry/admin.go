package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/health"
)

const (
	readTimeout = 10 * time.Second
	// writeTimeout is long enough for a CPU profile of one minute.
	writeTimeout = 90 * time.Second
	idleTimeout  = time.Minute
	maxHeader    = 16 << 10
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
	if lis == nil {
		<-ctx.Done()
		return nil
	}
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: readTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(lis) }()
	select {
	case err := <-served:
		return fmt.Errorf("admin listener: %w", err)
	case <-ctx.Done():
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err := srv.Shutdown(bounded); errors.Is(err, context.DeadlineExceeded) {
		return srv.Close()
	}
	return nil
}
