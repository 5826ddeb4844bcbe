// Command bench measures the cost of the gateway on loopback and compares it with no
// gateway, a plain Go reverse proxy and nginx. It starts everything that it
// measures, all-in-one or split. It prints a table with the targets and writes every
// figure as JSON. It exits with 1 if requests failed, except those of the plain Go
// proxy, or if the ledger does not match the responses, but never because of a figure.
// `make bench` and `make bench-edge` build and run it; PROFILE=1 also saves CPU profiles.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/canned"
)

// runTimeout ends a run that hangs.
const runTimeout = 20 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	err := run(ctx, os.Args)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run runs the benchmark or another mode. The benchmark starts this program again in
// several roles, which run handles too.
func run(ctx context.Context, args []string) error {
	if len(args) > 1 {
		switch args[1] {
		case roleUpstream:
			return serveRole(ctx, canned.Serve)
		case roleForward:
			return serveRole(ctx, forwardTo(args[2]))
		case roleSpin:
			return serveRole(ctx, keepCoresBusy)
		case modeOverload:
			return measureOverload(ctx, os.Stdout, args[2:])
		case modeSoak:
			return measureSoak(context.WithoutCancel(ctx), os.Stdout, args[2:])
		case modeScale:
			return measureScale(ctx, os.Stdout, args[2:])
		case modeRevoke:
			return measureKeys(ctx, os.Stdout, args[2:])
		}
	}
	b, err := newBench(args[1:])
	if err != nil {
		return err
	}
	return b.run(ctx)
}

func newBench(args []string) (*bench, error) {
	b := &bench{out: os.Stdout, results: map[string]map[string][]figures{}}
	var peers, loads string
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&b.bin, "bin", "bin", "directory of the binaries to measure, and of the output files")
	flags.StringVar(&b.split, "split", "", "program that starts the split deployment; if empty, the all-in-one is measured")
	flags.IntVar(&b.rounds, "rounds", 5, "number of rounds; the table shows the medians")
	flags.DurationVar(&b.each, "each", 600*time.Millisecond, "duration of a load on a peer in one round")
	flags.BoolVar(&b.keep, "keep", false, "use one gateway for all rounds instead of a new one in each")
	flags.StringVar(&peers, "peers", "", "comma-separated names of the peers to measure; empty means all")
	flags.StringVar(&loads, "loads", "", "comma-separated names of the loads to measure; empty means all")
	flags.BoolVar(&b.profiles, "profile", false, "save CPU profiles of the gateway under each load; implies one round")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if b.profiles {
		b.rounds, b.each = 1, max(b.each, minProfileTime)
	}
	b.peers = selectByName(b.allPeers(), peers, func(p peer) string { return p.name })
	b.loads = selectByName(allLoads(), loads, func(l load) string { return l.name })
	return b, nil
}

// selectByName returns the items whose names are in the comma-separated list.
func selectByName[T any](all []T, list string, name func(T) string) []T {
	if list == "" {
		return all
	}
	var some []T
	for _, one := range all {
		if strings.Contains(","+list+",", ","+name(one)+",") {
			some = append(some, one)
		}
	}
	return some
}
