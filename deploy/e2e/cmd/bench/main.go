// Command bench measures what the gateway costs, beside no gateway at all,
// beside the plainest Go proxy and beside nginx, on loopback. It starts all that
// it measures, in either shape, prints one table with what we hold ourselves to
// and writes every figure as JSON. It exits with 1 when a request failed or the
// ledger does not hold exactly what was answered, never because of a figure.
// `make bench` and `make bench-edge` build and run it; PROFILE=1 also saves CPU
// profiles.
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
)

// runLimit ends a run in which something hangs.
const runLimit = 20 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	err := run(ctx, os.Args)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run is the bench, or one of the processes that it starts of itself.
func run(ctx context.Context, args []string) error {
	if len(args) > 1 {
		switch args[1] {
		case roleUpstream:
			return serveRole(ctx, serveUpstream)
		case roleForward:
			return serveRole(ctx, forwardTo(args[2]))
		case roleSpin:
			return serveRole(ctx, spin)
		case modeOverload:
			return measureOverload(ctx, os.Stdout, args[2:])
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
	flags.StringVar(&b.bin, "bin", "bin", "folder of the binaries to measure, and of what is written")
	flags.StringVar(&b.split, "split", "", "the program that starts the split shape; without it the all-in-one is measured")
	flags.IntVar(&b.rounds, "rounds", 3, "how often everything is measured; the medians are shown")
	flags.DurationVar(&b.each, "each", 600*time.Millisecond, "how long a load is put on a peer in one round")
	flags.BoolVar(&b.keep, "keep", false, "let one gateway serve all rounds, instead of a new one in each")
	flags.StringVar(&peers, "peers", "", "names of the peers to measure, with commas; all without")
	flags.StringVar(&loads, "loads", "", "names of the loads to measure, with commas; all without")
	flags.BoolVar(&b.profiles, "profile", false, "save CPU profiles of the gateway under each load; means one round")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if b.profiles {
		b.rounds, b.each = 1, max(b.each, profileLeast)
	}
	b.peers = chosen(b.allPeers(), peers, func(p peer) string { return p.name })
	b.loads = chosen(allLoads(), loads, func(l load) string { return l.name })
	return b, nil
}

// chosen are those of all whose names are listed.
func chosen[T any](all []T, list string, name func(T) string) []T {
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
