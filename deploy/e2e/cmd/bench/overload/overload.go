// Package overload measures how the gateway behaves with more requests than it can serve, and
// what a quiet account notices of a noisy one.
package overload

import (
	"context"
	"flag"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/canned"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/rig"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/traffic"
	"github.com/signalbox/signalbox/deploy/e2e/procfs"
)

// Mode is the argument that selects this mode.
const Mode = "overload"

const (
	// maxRequests is the concurrency limit of the gateway. A request takes the
	// upstream a quarter of a second, so the capacity is known and small.
	maxRequests = 32
	// overloadFactor is the offered load as a multiple of the capacity.
	overloadFactor = 10
	// quietClients is the number of clients of the well-behaved account.
	quietClients = 4
	// quietPause is the maximum pause of a quiet client between requests. The pauses are
	// random. Without pauses, the quiet clients would run in step with the streams of the
	// noisy account, which have the same duration.
	quietPause = 50 * time.Millisecond
	phaseLasts = 8 * time.Second
	// quietLasts is long enough for about 350 requests of the quiet account. With fewer
	// than 100, the p99 would be the maximum.
	quietLasts = 25 * time.Second
)

// run measures one gateway.
type run struct {
	out io.Writer
	box *rig.Box
	// noisy holds two keys of one account, because a single key gets only half of
	// the slots. quiet is a key of another account.
	noisy [2]string
	quiet string
}

// Run runs the mode. It prints figures and has no targets.
func Run(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet(Mode, flag.ContinueOnError)
	bin := flags.String("bin", "bin", "directory of the binaries to measure")
	if err := flags.Parse(args); err != nil {
		return err
	}
	upstream, err := rig.StartSelf(ctx, nil, rig.RoleUpstream)
	if err != nil {
		return err
	}
	defer upstream.Stop()
	box, err := rig.StartAllInOne(ctx, *bin, upstream.Address, "--max-requests", fmt.Sprint(maxRequests))
	if err != nil {
		return err
	}
	defer box.Stop()
	r := &run{out: out, box: box}
	if err := r.createKeys(ctx); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "%d cores, load average before: %s; limit of %d concurrent requests, streams of %v\n", runtime.NumCPU(), procfs.LoadAverage(), maxRequests, canned.ChunkCount*canned.ChunkPause)
	r.measure(ctx)
	mib, err := procfs.PeakMemory(box.Proxy)
	_, _ = fmt.Fprintf(out, "peak memory of the gateway: %.0f MiB\n", mib)
	return err
}

func (r *run) createKeys(ctx context.Context) (err error) {
	if err := r.box.OpenSession(ctx); err != nil {
		return err
	}
	for i := range r.noisy {
		key, err := r.box.CreateKey(ctx, nil)
		if err != nil {
			return err
		}
		r.noisy[i] = key.Secret
	}
	r.quiet, err = r.box.RegisterAccount(ctx)
	return err
}

func (r *run) measure(ctx context.Context) {
	// Only one account warms up, because the gateway would reserve slots for a second one.
	r.runPhase(ctx, "warm-up", func(c *loadClients) { c.startClosedLoop(r.noisy[0], quietClients, 0) })
	full := r.runPhase(ctx, "as many clients as slots", func(c *loadClients) {
		for _, key := range r.noisy {
			c.startClosedLoop(key, maxRequests/len(r.noisy), 0)
		}
	})
	capacity := full.rate(full.served)
	flood := func(c *loadClients) {
		for _, key := range r.noisy {
			c.startOpenLoop(key, overloadFactor*capacity/float64(len(r.noisy)))
		}
	}
	r.runPhase(ctx, fmt.Sprintf("%d times the capacity", overloadFactor), flood)
	alone, _ := r.measureQuiet(ctx, "quiet account alone", func(*loadClients) {})
	beside, noise := r.measureQuiet(ctx, "quiet account beside a noisy one", flood)
	noise.print(r.out, "noisy account at the same time")
	_, _ = fmt.Fprintf(r.out, "quiet account, p99 time to first token: %.2f times that of being alone\n", traffic.Percentile(beside.served, 99, traffic.First)/traffic.Percentile(alone.served, 99, traffic.First))
}

// runPhase runs clients for phaseLasts and prints their results.
func (r *run) runPhase(ctx context.Context, name string, begin func(*loadClients)) *callResults {
	c := newLoadClients(ctx, r.box.Edge)
	begin(c)
	h := c.finish(phaseLasts)
	h.print(r.out, name)
	return h
}

// measureQuiet measures the quiet account while other clients run, and returns the
// results of both.
func (r *run) measureQuiet(ctx context.Context, name string, begin func(*loadClients)) (quiet, others *callResults) {
	noise := newLoadClients(ctx, r.box.Edge)
	begin(noise)
	c := newLoadClients(ctx, r.box.Edge)
	c.startClosedLoop(r.quiet, quietClients, quietPause)
	quiet, others = c.finish(quietLasts), noise.finish(0)
	quiet.print(r.out, name)
	return quiet, others
}
