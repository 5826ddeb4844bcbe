// Package process runs a service as a program. It handles settings, telemetry, listeners, signals,
// the shutdown order and the exit code. The admin listener serves metrics, health and profiles. A
// service is a function that receives an Env. The package does not depend on any service.
package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/health"
	"github.com/signalbox/signalbox/pkg/lifecycle"
	"github.com/signalbox/signalbox/pkg/telemetry"
)

var errStarting = errors.New("not started yet")

// flushTimeout limits how long an unavailable telemetry collector delays the shutdown.
const flushTimeout = 3 * time.Second

// Config holds the settings of a process. The values before Register are the defaults.
type Config struct {
	// Listen is the address of the service.
	Listen string
	// Admin is the address for metrics, health and profiles; empty means no admin listener.
	Admin     string
	Telemetry telemetry.Config
}

// Register adds the settings to a set.
func (c *Config) Register(set *config.Set) {
	set.String(&c.Listen, "listen", c.Listen, "address to listen on")
	set.String(&c.Admin, "admin", c.Admin, "address of metrics, health and profiles; empty for none")
	c.Telemetry.Register(set)
}

// Env contains what a service needs to run.
type Env struct {
	Listener  net.Listener
	Telemetry *telemetry.Telemetry
	// Ready is reported on the admin listener. The service adds its own checks. The process is not
	// ready before MarkReady is called.
	Ready *health.Readiness
	// Probes check the service's dependencies. They run during Env.Run.
	Probes *health.Probes

	serving *atomic.Bool
}

// MarkReady reports that the service has started, and logs its address. Call it once the service can
// serve.
func (e Env) MarkReady(ctx context.Context) {
	e.serving.Store(true)
	e.Telemetry.Log.InfoContext(ctx, "started", "address", e.Listener.Addr().String())
}

// Run runs the service together with its probes. All probes must have been added before. The probes
// stop before the service.
func (e Env) Run(ctx context.Context, service func(ctx context.Context) error) error {
	return lifecycle.Run(ctx,
		lifecycle.Task{Name: "service", Run: service},
		lifecycle.Task{Name: "probes", Run: e.Probes.Run},
	)
}

// gcPercent replaces Go's default of 100. The live heap of a gateway is a few megabytes and
// most allocations are short-lived, so the default would collect many times per second. Each
// further 50 saves a proxy about 2 us CPU per request and costs it about 5 MiB.
const gcPercent = 150

// Main calls run with a context that a signal cancels. It prints the help text or the error, and
// returns the exit code.
func Main(name string, run func(ctx context.Context) error) int {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	ctx, stop := lifecycle.NotifySignals(context.Background())
	err := run(ctx)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = nil // a signal arrived during startup
	}
	stop()
	var help *config.Help
	if errors.As(err, &help) {
		fmt.Printf("%s: %s", name, help.Usage)
		return 0
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, name+":", strings.ReplaceAll(err.Error(), "\n", "\n"+name+": "))
		return 1
	}
	return 0
}

// Run runs a service and its admin listener until ctx is done. The admin listener reports draining
// before the service stops. The admin listener stops after the service.
func Run(ctx context.Context, c Config, serve func(ctx context.Context, e Env) error) error {
	tel, err := telemetry.New(ctx, c.Telemetry, os.Stderr)
	if err != nil {
		return err
	}
	defer FlushTelemetry(ctx, tel)
	lis, err := Listen(ctx, c.Listen)
	if err != nil {
		return err
	}
	admin, err := Listen(ctx, c.Admin)
	if err != nil {
		return errors.Join(err, lis.Close())
	}
	ready := health.New()
	e := Env{Listener: lis, Telemetry: tel, Ready: ready, Probes: health.NewProbes(ready, tel.Log), serving: &atomic.Bool{}}
	if err := tel.MeasureReadiness(ready); err != nil {
		return errors.Join(err, lis.Close())
	}
	e.Ready.AddRequired("service", func() error {
		if e.serving.Load() {
			return nil
		}
		return errStarting
	})
	return lifecycle.Run(ctx,
		lifecycle.Task{Name: "admin", Run: func(ctx context.Context) error {
			return telemetry.ServeAdmin(ctx, admin, telemetry.NewAdminHandler(e.Ready, tel.MetricsHandler()))
		}},
		lifecycle.Task{Name: c.Telemetry.Service, Run: func(ctx context.Context) error { return serve(ctx, e) }},
		lifecycle.Task{Name: "readiness", Run: func(ctx context.Context) error {
			<-ctx.Done()
			e.Ready.Drain()
			return nil
		}},
	)
}

// FlushTelemetry shuts down telemetry. It only logs a failure, because an unavailable collector is not
// an error of the process.
func FlushTelemetry(ctx context.Context, tel *telemetry.Telemetry) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
	defer cancel()
	if err := tel.Shutdown(ctx); err != nil {
		tel.Log.WarnContext(ctx, "telemetry was not flushed", "error", err)
	}
}
