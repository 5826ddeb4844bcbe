// Command bench measures what the gateway costs, beside no gateway at all and
// beside the plainest Go proxy, on loopback and within about a minute and a
// half. It starts everything it measures, prints one table per measurement and
// judges no figure. It exits with 1 when a request failed or the ledger does
// not hold exactly what was answered. `make bench` builds and runs it; with
// PROFILE=1 it also saves CPU profiles.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// runLimit ends a run in which something hangs.
const runLimit = 5 * time.Minute

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
		}
	}
	b := &bench{out: os.Stdout}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&b.binary, "signalbox", "bin/signalbox", "the binary to measure")
	flags.IntVar(&b.rounds, "rounds", 3, "how often everything is measured; the medians are shown")
	flags.DurationVar(&b.each, "each", 3500*time.Millisecond, "how long one measurement of one peer lasts, all rounds together")
	flags.StringVar(&b.profiles, "profiles", "", "directory for CPU profiles of signalbox under each load; means one round")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if b.profiles == "" && os.Getenv("PROFILE") != "" {
		b.profiles = "bin"
	}
	if b.profiles != "" {
		b.rounds = 1
	}
	return b.run(ctx)
}
