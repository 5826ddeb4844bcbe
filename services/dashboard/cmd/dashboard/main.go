// Command dashboard runs the dashboard service in its own process. The service
// stores and shows the records of all requests.
package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/pkg/rpc"
	"github.com/signalbox/signalbox/pkg/sqldb"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard"
)

// version is set at build time.
var version = "dev"

func main() {
	os.Exit(process.Main("dashboard", func(ctx context.Context) error {
		cfg, err := dashboard.LoadConfig(os.Args[1:], os.Environ())
		if err != nil {
			return err
		}
		cfg.Process.Telemetry.Version, cfg.Process.Telemetry.Getenv = version, os.Getenv
		return process.Run(ctx, cfg.Process.Config, func(ctx context.Context, e process.Env) error { return serve(ctx, cfg, e) })
	}))
}

func serve(ctx context.Context, cfg dashboard.Config, e process.Env) (err error) {
	identity, err := cfg.Process.Peers.Identity(e.Ready, certs.Dashboard, cfg.Process.Keyauth, cfg.Process.Router)
	if err != nil {
		return err
	}
	source, err := records.NewRedisSource(cfg.Process.Redis.Reveal(), records.RedisSourceConfig{Consumer: consumerName(cfg.Data), Log: e.Telemetry.Log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	keyauth, err := rpc.Dial(cfg.Process.Keyauth, rpc.ClientConfig{Tracer: e.Telemetry.Tracer, Identity: identity, Peer: certs.Keyauth})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, keyauth.Close()) }()
	router, err := rpc.Dial(cfg.Process.Router, rpc.ClientConfig{Tracer: e.Telemetry.Tracer, Identity: identity, Peer: certs.Router})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, router.Close()) }()
	deps := dashboard.Deps{
		Accounts: keyauthv1.NewAccountServiceClient(keyauth), Router: routerv1.NewRouterServiceClient(router),
		Policies: routerv1.NewPolicyServiceClient(router), Records: source, Listener: e.Listener, Log: e.Telemetry.Log, Meter: e.Telemetry.Meter, Histograms: e.Telemetry.Histograms, Version: version,
	}
	if identity != nil {
		deps.Certificates = func() []dashboard.Certificate {
			return []dashboard.Certificate{{Name: "certificate of the dashboard", Ends: identity.Ends()}}
		}
	}
	var svc *dashboard.Service
	err = process.RetryWhileUnavailable(ctx, e.Telemetry.Log, sqldb.ErrUnreachable, func() (err error) {
		svc, err = dashboard.New(ctx, cfg, deps)
		return err
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, svc.Close()) }()
	e.Probes.AddRequired("store", svc.Ping)
	// These checks are optional, because some pages work without these services.
	// Otherwise a load balancer would remove every dashboard when one service fails.
	e.Probes.AddOptional("keyauth", func(ctx context.Context) error { return rpc.CheckServing(ctx, keyauth) })
	e.Probes.AddOptional("router", func(ctx context.Context) error { return rpc.CheckServing(ctx, router) })
	e.Probes.AddOptional("redis", source.Check)
	e.Ready.AddOptional("completeness", svc.CheckCompleteness)
	e.MarkReady(ctx)
	return e.Run(ctx, svc.Run)
}

// consumerName identifies this process among the consumers of the record stream.
// The name stays the same across restarts.
func consumerName(data string) string {
	host, _ := os.Hostname()
	dir, _ := filepath.Abs(data)
	return host + ":" + dir
}
