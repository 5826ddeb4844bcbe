// Command proxy runs the data plane in a process of its own.
package main

import (
	"context"
	"errors"
	"os"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/pkg/rpc"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/proxy"
	"github.com/signalbox/signalbox/services/proxy/internal/counters"
	"github.com/signalbox/signalbox/services/proxy/internal/sessionredis"
)

// version is set by the build.
var version = "dev"

func main() {
	os.Exit(process.Main("proxy", func(ctx context.Context) error {
		cfg, err := proxy.LoadConfig(os.Args[1:], os.Environ())
		if err != nil {
			return err
		}
		cfg.Process.Telemetry.Version, cfg.Process.Telemetry.Getenv = version, os.Getenv
		return process.Run(ctx, cfg.Process, func(ctx context.Context, e process.Env) error { return serve(ctx, cfg, e) })
	}))
}

func serve(ctx context.Context, cfg proxy.Config, e process.Env) (err error) {
	identity, err := cfg.Peers.Identity(e.Ready, certs.Proxy, cfg.Router, cfg.Keyauth)
	if err != nil {
		return err
	}
	carrier, err := records.NewRedisPublisher(cfg.Redis.Reveal(), records.RedisPublisherConfig{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, carrier.Close()) }()
	shared, err := counters.Open(counters.Config{URL: cfg.Redis})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shared.Close()) }()
	sessions, err := sessionredis.Open(sessionredis.Config{URL: cfg.Redis})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sessions.Close()) }()
	router, err := rpc.Dial(cfg.Router, rpc.ClientConfig{Tracer: e.Telemetry.Tracer, Identity: identity, Peer: certs.Router})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, router.Close()) }()
	keyauth, err := rpc.Dial(cfg.Keyauth, rpc.ClientConfig{Tracer: e.Telemetry.Tracer, Identity: identity, Peer: certs.Keyauth})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, keyauth.Close()) }()
	svc, err := proxy.New(cfg, proxy.Deps{
		Router: routerv1.NewRouterServiceClient(router), Keys: keyauthv1.NewKeyAuthServiceClient(keyauth),
		Records: carrier, Counters: shared, Sessions: sessions, LookupEnv: os.LookupEnv, Version: version, Health: e.Ready,
		Log: e.Telemetry.Log, Meter: e.Telemetry.Meter, Histograms: e.Telemetry.Histograms,
		Tracer: e.Telemetry.Tracer, Sampler: e.Telemetry.Sampler, Listener: e.Listener,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, svc.Close()) }()
	e.Probes.AddOptional("redis", carrier.Check)
	e.MarkReady(ctx)
	return e.Run(ctx, svc.Run)
}
