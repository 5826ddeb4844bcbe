// Package revoke measures how fast created, revoked and expired keys take effect on every proxy.
package revoke

import (
	"context"
	"flag"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/rig"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/traffic"
	"github.com/signalbox/signalbox/deploy/e2e/procfs"
)

// Mode is the argument that selects this mode.
const Mode = "revoke"

const (
	// keyTrials is the number of keys created and revoked per deployment.
	keyTrials = 100
	// expiryTrials is the number of keys that are used until they expire.
	expiryTrials = 10
	// expiryAfter leaves time to create the keys and use each once.
	expiryAfter = 3 * time.Second
	// revokeProxies is the number of proxies of the split deployment.
	revokeProxies = 2
	// trialTimeout ends a trial in which a change never takes effect.
	trialTimeout = 30 * time.Second
)

// keyRun measures one deployment.
type keyRun struct {
	out  io.Writer
	box  *rig.Box
	load *keyLoad
}

// Run runs the mode for both deployments. It prints figures and has no
// targets.
func Run(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet(Mode, flag.ContinueOnError)
	bin := flags.String("bin", "bin", "directory of the binaries to measure")
	split := flags.String("split", "bin/split", "program that starts the split deployment")
	if err := flags.Parse(args); err != nil {
		return err
	}
	upstream, err := rig.StartSelf(ctx, nil, rig.RoleUpstream)
	if err != nil {
		return err
	}
	defer upstream.Stop()
	_, _ = fmt.Fprintf(out, "%d cores, load average before: %s\n", runtime.NumCPU(), procfs.LoadAverage())
	for _, start := range []func() (*rig.Box, error){
		func() (*rig.Box, error) { return rig.StartAllInOne(ctx, *bin, upstream.Address) },
		func() (*rig.Box, error) { return rig.StartSplit(ctx, *split, *bin, upstream.Address, revokeProxies) },
	} {
		box, err := start()
		if err != nil {
			return err
		}
		err = (&keyRun{out: out, box: box}).measure(ctx)
		box.Stop()
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *keyRun) measure(ctx context.Context) error {
	if err := r.box.OpenSession(ctx); err != nil {
		return err
	}
	var err error
	if r.load, err = r.startLoad(ctx); err != nil {
		return err
	}
	defer r.load.stop()
	var made, revoked []time.Duration
	for range keyTrials {
		m, v, err := r.runTrial(ctx)
		if err != nil {
			return err
		}
		made, revoked = append(made, m), append(revoked, v)
	}
	ends, err := r.measureExpiry(ctx)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(r.out, "%s, proxies: %d\n", r.deploymentName(), len(r.box.Edges))
	r.print("created, until accepted by every proxy", made)
	r.print("revoked, until the last accepted request", revoked)
	r.print("expired, accepted after expiry", ends.late)
	r.print("expired, rejected before expiry", ends.early)
	r.print("expired, until the first rejection", ends.refused)
	r.load.stop()
	_, _ = fmt.Fprintf(r.out, "  other keys at the same time: %.0f requests/s, %d failed\n", r.load.rate(), r.load.failed.Load())
	return nil
}

func (r *keyRun) deploymentName() string {
	if len(r.box.Others) > 0 {
		return "split"
	}
	return "all-in-one"
}

func (r *keyRun) print(what string, took []time.Duration) {
	all := make([]traffic.Timing, len(took))
	for i, d := range took {
		all[i].Whole = d
	}
	ms := func(p int) float64 { return traffic.Percentile(all, p, traffic.Whole) / 1000 }
	_, _ = fmt.Fprintf(r.out, "  %-42s p50 %7.1f ms   p99 %7.1f ms   worst of %d %7.1f ms\n", what, ms(50), ms(99), len(all), ms(100))
}
