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

// forwardTo is the plainest proxy that Go's library gives: no key is checked,
// nothing is read, decided or kept.
func forwardTo(address string) func(context.Context, net.Listener) error {
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: address}) },
		// As many idle connections as clients; the default of two would
		// measure dialling.
		Transport: &http.Transport{MaxIdleConnsPerHost: maxFlying, DisableCompression: true},
		// What it fails at is seen by the clients, and counted there.
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	return func(_ context.Context, lis net.Listener) error {
		server := &http.Server{Handler: proxy, ReadHeaderTimeout: 10 * time.Second}
		return server.Serve(lis)
	}
}
