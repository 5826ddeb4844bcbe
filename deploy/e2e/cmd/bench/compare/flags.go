package compare

import (
	"context"
	"flag"
	"io"
	"strings"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/traffic"
)

// Run runs the mode.
func Run(ctx context.Context, out io.Writer, args []string) error {
	b, err := newBench(out, args)
	if err != nil {
		return err
	}
	return b.run(ctx)
}

func newBench(out io.Writer, args []string) (*bench, error) {
	b := &bench{out: out, results: map[string]map[string][]figures{}}
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
	b.loads = selectByName(traffic.Loads(), loads, func(l traffic.Load) string { return l.Name })
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
