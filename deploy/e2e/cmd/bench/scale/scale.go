// Package scale measures whether more proxies behind a balancer serve more requests for the same CPU
// time each, what each component of the deployment uses for them, and predicts larger deployments
// from that with package model.
package scale

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/compare"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/rig"
)

// Mode is the argument that selects this mode.
const Mode = "scale"

const (
	// clientCount is the number of clients at full load.
	clientCount = 32
	// fullRounds is the number of rounds at full load, keyCount the number of keys that are created.
	fullRounds = 3
	keyCount   = 200
	// tolerance is how far the requests per CPU-second may differ from those of one proxy.
	tolerance = 0.1
)

// run measures deployments with different numbers of proxies.
type run struct {
	bin, split string
	rounds     int
	each, idle time.Duration
	// rate is the requests per second for each proxy of a deployment.
	rate     int
	upstream *rig.Child
}

// Run runs the mode. It prints the figures of each number of proxies and the prediction.
func Run(ctx context.Context, out io.Writer, args []string) (err error) {
	r := run{}
	flags := flag.NewFlagSet(Mode, flag.ContinueOnError)
	flags.StringVar(&r.bin, "bin", "bin", "directory of the binaries to measure")
	flags.StringVar(&r.split, "split", "bin/split", "program that starts the split deployment")
	flags.IntVar(&r.rounds, "rounds", 5, "number of rounds at the fixed rate")
	flags.DurationVar(&r.each, "each", 3*time.Second, "duration of a round")
	flags.DurationVar(&r.idle, "idle", 10*time.Second, "how long the deployments are measured without requests")
	flags.IntVar(&r.rate, "rate", 250, "requests per second for each proxy of a deployment")
	list := flags.String("proxies", "1,2,4", "comma-separated numbers of proxies; the first must be 1")
	if err := flags.Parse(args); err != nil {
		return err
	}
	counts, err := parseCounts(*list)
	if err != nil {
		return err
	}
	if r.upstream, err = rig.StartSelf(ctx, nil, rig.RoleUpstream); err != nil {
		return err
	}
	defer r.upstream.Stop()
	// A core that sleeps now and then makes requests at low rates cost more CPU time.
	spinner, err := rig.StartSelf(ctx, []string{"chrt", "--idle", "0"}, compare.RoleSpin)
	if err != nil {
		return err
	}
	defer spinner.Stop()
	all, err := r.measure(ctx, counts)
	if err != nil {
		return err
	}
	printReport(out, all)
	return nil
}

func parseCounts(list string) (counts []int, err error) {
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || len(counts) == 0 && n != 1 {
			return nil, errors.New("-proxies must be a list of positive numbers that begins with 1")
		}
		counts = append(counts, n)
	}
	return counts, nil
}

// measure starts all deployments. At the fixed rate it measures them at the same time, because a request
// costs more on a machine that is less busy, or slower for a moment. At full load it measures them in
// turn, round by round.
func (r *run) measure(ctx context.Context, counts []int) (all []*figures, err error) {
	var deployments []*deployment
	for _, n := range counts {
		d, err := r.startDeployment(ctx, n)
		if err != nil {
			return nil, fmt.Errorf("%d proxies: %w", n, err)
		}
		defer d.stop()
		deployments, all = append(deployments, d), append(all, &figures{proxies: n})
	}
	each := func(measure func(d *deployment, f *figures) error) error {
		for i, d := range deployments {
			if err := measure(d, all[i]); err != nil {
				return fmt.Errorf("%d proxies: %w", d.proxies, err)
			}
		}
		return nil
	}
	// The first round only warms up.
	if err := each(func(d *deployment, _ *figures) error {
		_, err := d.runLoad(ctx, fullLoad(), r.each)
		return err
	}); err != nil {
		return nil, err
	}
	if err := r.measureIdle(ctx, deployments, all); err != nil {
		return nil, err
	}
	for range r.rounds {
		if err := r.measureSteady(ctx, deployments, all); err != nil {
			return nil, err
		}
	}
	for range fullRounds {
		if err := each(func(d *deployment, f *figures) error { return r.measureFull(ctx, d, f) }); err != nil {
			return nil, err
		}
	}
	return all, each(func(d *deployment, f *figures) error { return d.measureKeys(ctx, f) })
}
