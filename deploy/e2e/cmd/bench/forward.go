package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"
)

// forwardTo returns the simplest proxy of Go's standard library. It checks no key,
// reads no body, decides nothing and stores nothing.
func forwardTo(address string) func(context.Context, net.Listener) error {
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: address}) },
		// As many idle connections as clients. With the default of two, the
		// benchmark would measure dialling.
		Transport: &http.Transport{MaxIdleConnsPerHost: maxInFlight, DisableCompression: true},
		// The clients see and count the failures.
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	return func(_ context.Context, lis net.Listener) error {
		server := &http.Server{Handler: proxy, ReadHeaderTimeout: 10 * time.Second}
		return server.Serve(lis)
	}
}
