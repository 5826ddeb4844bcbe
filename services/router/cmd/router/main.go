// Command router runs the router service in its own process.
package main

import (
	"context"
	"errors"
	"os"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/router"
)

// version is set by the build.
var version = "dev"

func main() {
	os.Exit(process.Main("router", func(ctx context.Context) error {
		cfg, err := router.LoadConfig(os.Args[1:], os.Environ())
		if err != nil {
			return err
		}
		cfg.Process.Telemetry.Version, cfg.Process.Telemetry.Getenv = version, os.Getenv
		return process.Run(ctx, cfg.Process, func(ctx context.Context, e process.Env) error { return serve(ctx, cfg, e) })
	}))
}

func serve(ctx context.Context, cfg router.Config, e process.Env) (err error) {
	identity, err := cfg.Peers.Identity(e.Ready, certs.Router, e.Listener.Addr().String())
	if err != nil {
		return err
	}
	deps := router.Deps{
		Listener: e.Listener, Log: e.Telemetry.Log, Tracer: e.Telemetry.Tracer, Histograms: e.Telemetry.Histograms, Environ: os.Environ(), Identity: identity,
	}
	var svc *router.Service
	err = process.RetryWhileUnavailable(ctx, e.Telemetry.Log, sqldb.ErrUnreachable, func() (err error) {
		svc, err = router.New(ctx, cfg, deps)
		return err
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, svc.Close()) }()
	e.Ready.AddFact("policy", svc.PolicyVersion)
	e.Probes.AddOptional("store", svc.Ping)
	e.Ready.AddOptional("policy_current", svc.CheckPolicyCurrent)
	if cfg.Policy != "" {
		e.Ready.AddFact("policy_file", svc.PolicyFileStatus)
	}
	e.MarkReady(ctx)
	return e.Run(ctx, svc.Run)
}
