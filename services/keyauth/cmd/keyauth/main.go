// Command keyauth runs the service for accounts, sessions and API keys in its
// own process.
package main

import (
	"context"
	"errors"
	"os"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/keyauth"
)

// version is set by the build with -ldflags.
var version = "dev"

func main() {
	os.Exit(process.Main("keyauth", func(ctx context.Context) error {
		cfg, err := keyauth.LoadConfig(os.Args[1:], os.Environ())
		if err != nil {
			return err
		}
		cfg.Process.Telemetry.Version, cfg.Process.Telemetry.Getenv = version, os.Getenv
		return process.Run(ctx, cfg.Process, func(ctx context.Context, e process.Env) error { return serve(ctx, cfg, e) })
	}))
}

func serve(ctx context.Context, cfg keyauth.Config, e process.Env) (err error) {
	identity, err := cfg.Peers.Identity(e.Ready, certs.Keyauth, e.Listener.Addr().String())
	if err != nil {
		return err
	}
	deps := keyauth.Deps{
		Listener: e.Listener, Log: e.Telemetry.Log, Tracer: e.Telemetry.Tracer, Histograms: e.Telemetry.Histograms, Identity: identity,
	}
	var svc *keyauth.Service
	err = process.RetryWhileUnavailable(ctx, e.Telemetry.Log, sqldb.ErrUnreachable, func() (err error) {
		svc, err = keyauth.New(ctx, cfg, deps)
		return err
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, svc.Close()) }()
	if identity == nil {
		e.Telemetry.Log.WarnContext(ctx, "no certificates: every caller of the gRPC address is trusted as proxy and dashboard; see --certs")
	}
	e.Probes.AddRequired("store", svc.Ping)
	e.MarkReady(ctx)
	return e.Run(ctx, svc.Run)
}
