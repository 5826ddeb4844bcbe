// Package process is what every binary does around its service: telemetry, the
// listener, the admin page, signals, the order of the end and the exit code.
// A service is a function that is given all that. It knows no service.
package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/health"
	"github.com/signalbox/signalbox/pkg/lifecycle"
	"github.com/signalbox/signalbox/pkg/telemetry"
)

var errStarting = errors.New("not started yet")

// flushLimit is how long a collector may hold up the end.
const flushLimit = 3 * time.Second

// Config is the settings of a process. What it holds when it is registered are
// the defaults.
type Config struct {
	// Listen is where the service serves.
	Listen string
	// Admin is the address of metrics, health and profiles; empty for none.
	Admin     string
	Telemetry telemetry.Config
}

// Register adds the settings to a set.
func (c *Config) Register(set *config.Set) {
	set.String(&c.Listen, "listen", c.Listen, "address it serves on")
	set.String(&c.Admin, "admin", c.Admin, "address of metrics, health and profiles; empty for none")
	c.Telemetry.Register(set)
}

// Env is what a service runs with.
type Env struct {
	Listener  net.Listener
	Telemetry *telemetry.Telemetry
	// Ready is shown by the admin page; the service says what it depends on.
	// It says no until Announce.
	Ready *health.Readiness
	// Probes are for what the service depends on and has to ask; Run runs them.
	Probes *health.Probes

	serving *atomic.Bool
}

// Announce makes the process ready and logs where the service serves, once it
// is certain that it will.
func (e Env) Announce(ctx context.Context) {
	e.serving.Store(true)
	e.Telemetry.Log.InfoContext(ctx, "started", "address", e.Listener.Addr().String())
}

// Run runs the service together with its probes, which are all there by now
// and end before it does.
func (e Env) Run(ctx context.Context, service func(ctx context.Context) error) error {
	return lifecycle.Run(ctx,
		lifecycle.Task{Name: "service", Run: service},
		lifecycle.Task{Name: "probes", Run: e.Probes.Run},
	)
}

// Main runs a program until it ends or a signal comes, prints help or the
// error, and returns the exit code.
func Main(name string, run func(ctx context.Context) error) int {
	spareCollections()
	ctx, stop := lifecycle.Signals(context.Background())
	err := run(ctx)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = nil // told to stop before it had quite begun
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

// Run runs a service and its admin page until ctx ends. The page outlives the
// service, and says that it is draining before the service stops.
func Run(ctx context.Context, c Config, serve func(ctx context.Context, e Env) error) error {
	tel, err := telemetry.New(ctx, c.Telemetry, os.Stderr)
	if err != nil {
		return err
	}
	defer Flush(ctx, tel)
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
	e.Ready.Need("service", func() error {
		if e.serving.Load() {
			return nil
		}
		return errStarting
	})
	return lifecycle.Run(ctx,
		lifecycle.Task{Name: "admin", Run: func(ctx context.Context) error {
			return telemetry.ServeAdmin(ctx, admin, telemetry.Admin(e.Ready, tel.MetricsHandler()))
		}},
		lifecycle.Task{Name: c.Telemetry.Service, Run: func(ctx context.Context) error { return serve(ctx, e) }},
		lifecycle.Task{Name: "readiness", Run: func(ctx context.Context) error {
			<-ctx.Done()
			e.Ready.Drain()
			return nil
		}},
	)
}

// Flush ends telemetry. A collector that is not there is no fault of the
// process, so it only warns.
func Flush(ctx context.Context, tel *telemetry.Telemetry) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushLimit)
	defer cancel()
	if err := tel.Shutdown(ctx); err != nil {
		tel.Log.WarnContext(ctx, "telemetry was not flushed", "error", err)
	}
}
