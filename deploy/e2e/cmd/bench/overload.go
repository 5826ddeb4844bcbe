package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/canned"
)

// modeOverload measures how the gateway behaves under overload, instead of the cost
// of requests.
const modeOverload = "overload"

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

// overloadRun measures one gateway.
type overloadRun struct {
	out io.Writer
	box *signalbox
	// noisy holds two keys of one account, because a single key gets only half of
	// the slots. quiet is a key of another account.
	noisy [2]string
	quiet string
}

// measureOverload runs the mode. It prints figures and has no targets.
func measureOverload(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet(modeOverload, flag.ContinueOnError)
	bin := flags.String("bin", "bin", "directory of the binaries to measure")
	if err := flags.Parse(args); err != nil {
		return err
	}
	upstream, err := startSelf(ctx, nil, roleUpstream)
	if err != nil {
		return err
	}
	defer upstream.stop()
	box, err := startAllInOne(ctx, *bin, upstream.address, "--max-requests", fmt.Sprint(maxRequests))
	if err != nil {
		return err
	}
	defer box.stop()
	r := &overloadRun{out: out, box: box}
	if err := r.createKeys(ctx); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "%d cores, load average before: %s; limit of %d concurrent requests, streams of %v\n", runtime.NumCPU(), loadAverage(), maxRequests, canned.ChunkCount*canned.ChunkPause)
	r.measure(ctx)
	mib, err := peakMemory(box.proxy)
	_, _ = fmt.Fprintf(out, "peak memory of the gateway: %.0f MiB\n", mib)
	return err
}

func (r *overloadRun) createKeys(ctx context.Context) (err error) {
	if err := r.box.openSession(ctx); err != nil {
		return err
	}
	for i := range r.noisy {
		if r.noisy[i], err = r.box.createKey(ctx); err != nil {
			return err
		}
	}
	r.quiet, err = r.box.registerAccount(ctx)
	return err
}

func (r *overloadRun) measure(ctx context.Context) {
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
	_, _ = fmt.Fprintf(r.out, "quiet account, p99 time to first token: %.2f times that of being alone\n", percentile(beside.served, 99, first)/percentile(alone.served, 99, first))
}

// runPhase runs clients for phaseLasts and prints their results.
func (r *overloadRun) runPhase(ctx context.Context, name string, begin func(*loadClients)) *callResults {
	c := newLoadClients(ctx, r.box.edge)
	begin(c)
	h := c.finish(phaseLasts)
	h.print(r.out, name)
	return h
}

// measureQuiet measures the quiet account while other clients run, and returns the
// results of both.
func (r *overloadRun) measureQuiet(ctx context.Context, name string, begin func(*loadClients)) (quiet, others *callResults) {
	noise := newLoadClients(ctx, r.box.edge)
	begin(noise)
	c := newLoadClients(ctx, r.box.edge)
	c.startClosedLoop(r.quiet, quietClients, quietPause)
	quiet, others = c.finish(quietLasts), noise.finish(0)
	quiet.print(r.out, name)
	return quiet, others
}

// registerAccount creates another account and returns a key of it.
func (s *signalbox) registerAccount(ctx context.Context) (string, error) {
	who := map[string]string{"email": "quiet@example.com", "password": "correct horse battery", "name": "quiet"}
	other := &signalbox{api: s.api, signIn: "/register", secret: who}
	if err := other.openSession(ctx); err != nil {
		return "", err
	}
	return other.createKey(ctx)
}

func (s *signalbox) createKey(ctx context.Context) (string, error) {
	var made newKey
	err := s.callAPI(ctx, http.MethodPost, "/keys", map[string]any{"name": "bench"}, &made)
	return made.Key, err
}
