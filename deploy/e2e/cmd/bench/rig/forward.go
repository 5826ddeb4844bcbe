package rig

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/traffic"
)

// RoleForward is the role of the plain Go proxy.
const RoleForward = "reverse-proxy"

// ForwardTo returns the simplest proxy of Go's standard library. It checks no key,
// reads no body, decides nothing and stores nothing.
func ForwardTo(address string) func(context.Context, net.Listener) error {
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: address}) },
		// As many idle connections as clients. With the default of two, the
		// benchmark would measure dialling.
		Transport: &http.Transport{MaxIdleConnsPerHost: traffic.MaxInFlight, DisableCompression: true},
		// The clients see and count the failures.
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	return func(_ context.Context, lis net.Listener) error {
		server := &http.Server{Handler: proxy, ReadHeaderTimeout: 10 * time.Second}
		return server.Serve(lis)
	}
}
