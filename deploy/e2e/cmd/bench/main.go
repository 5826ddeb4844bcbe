// Command bench measures the cost of the gateway on loopback and compares it with no
// gateway, a plain Go reverse proxy and nginx. It starts everything that it
// measures, all-in-one or split. It prints a table with the targets and writes every
// figure as JSON. A first argument selects another mode: overload, revoke, scale or soak.
// It exits with 1 if requests failed, except those of the plain Go
// proxy, or if the ledger does not match the responses, but never because of a figure.
// `make bench` and `make bench-edge` build and run it; PROFILE=1 also saves CPU profiles.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/canned"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/compare"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/overload"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/revoke"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/rig"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/scale"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/soak"
)

// runTimeout ends a run that hangs.
const runTimeout = 20 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	mode := ""
	if len(os.Args) > 1 {
		mode = os.Args[1]
	}
	err := run(ctx, mode, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run runs the benchmark or another mode. The benchmark starts this program again in
// several roles, which run handles too. Roles have no time limit, because they end with the
// benchmark that started them.
func run(ctx context.Context, mode string, args []string) error {
	switch mode {
	case rig.RoleUpstream:
		return rig.ServeRole(ctx, canned.Serve)
	case rig.RoleForward:
		return rig.ServeRole(ctx, rig.ForwardTo(args[1]))
	case compare.RoleSpin:
		return rig.ServeRole(ctx, compare.KeepCoresBusy)
	case soak.Mode: // has a duration
		return soak.Run(ctx, os.Stdout, args[1:])
	}
	return runLimited(ctx, mode, args)
}

func runLimited(ctx context.Context, mode string, args []string) error {
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	switch mode {
	case overload.Mode:
		return overload.Run(ctx, os.Stdout, args[1:])
	case scale.Mode:
		return scale.Run(ctx, os.Stdout, args[1:])
	case revoke.Mode:
		return revoke.Run(ctx, os.Stdout, args[1:])
	}
	return compare.Run(ctx, os.Stdout, args)
}
