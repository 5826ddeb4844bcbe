package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"time"
)

// modeRevoke measures how soon a change of a key is known everywhere, instead
// of what requests cost.
const modeRevoke = "revoke"

const (
	// keyTrials is how many keys are made and revoked in each shape.
	keyTrials = 100
	// expiryTrials is how many keys are used until they end, at a time.
	expiryTrials = 10
	// expiryAfter leaves time to make them and to use them once.
	expiryAfter = 3 * time.Second
	// revokeProxies is how many proxies the split shape has.
	revokeProxies = 2
	// trialLimit ends a trial in which a change never arrives.
	trialLimit = 30 * time.Second
)

// keyRun measures one shape.
type keyRun struct {
	out  io.Writer
	box  *signalbox
	load *keyLoad
}

// measureKeys is the mode: both shapes, one after the other. It prints and does
// not judge.
func measureKeys(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet(modeRevoke, flag.ContinueOnError)
	bin := flags.String("bin", "bin", "folder of the binaries to measure")
	split := flags.String("split", "bin/split", "the program that starts the split shape")
	if err := flags.Parse(args); err != nil {
		return err
	}
	upstream, err := startSelf(ctx, nil, roleUpstream)
	if err != nil {
		return err
	}
	defer upstream.stop()
	_, _ = fmt.Fprintf(out, "%d cores, load average before: %s\n", runtime.NumCPU(), loadAverage())
	for _, start := range []func() (*signalbox, error){
		func() (*signalbox, error) { return startAllInOne(ctx, *bin, upstream.address) },
		func() (*signalbox, error) { return startSplit(ctx, *split, *bin, upstream.address, revokeProxies) },
	} {
		box, err := start()
		if err != nil {
			return err
		}
		err = (&keyRun{out: out, box: box}).measure(ctx)
		box.stop()
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *keyRun) measure(ctx context.Context) error {
	if err := r.box.openSession(ctx); err != nil {
		return err
	}
	var err error
	if r.load, err = r.startLoad(ctx); err != nil {
		return err
	}
	defer r.load.stop()
	var made, revoked []time.Duration
	for range keyTrials {
		m, v, err := r.trial(ctx)
		if err != nil {
			return err
		}
		made, revoked = append(made, m), append(revoked, v)
	}
	ends, err := r.expiry(ctx)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(r.out, "%s, proxies: %d\n", r.shape(), len(r.box.edges))
	r.print("made, until it works on every proxy", made)
	r.print("revoked, until the last accepted request", revoked)
	r.print("expired, accepted after its end", ends.late)
	r.print("expired, refused before its end", ends.early)
	r.print("expired, until the first refusal", ends.refused)
	r.load.stop()
	_, _ = fmt.Fprintf(r.out, "  other keys meanwhile: %.0f requests/s, %d failed\n", r.load.rate(), r.load.failed.Load())
	return nil
}

func (r *keyRun) shape() string {
	if len(r.box.others) > 0 {
		return "split"
	}
	return "all in one"
}

func (r *keyRun) print(what string, took []time.Duration) {
	all := make([]timing, len(took))
	for i, d := range took {
		all[i].whole = d
	}
	ms := func(p int) float64 { return percentile(all, p, whole) / 1000 }
	_, _ = fmt.Fprintf(r.out, "  %-42s p50 %7.1f ms   p99 %7.1f ms   worst of %d %7.1f ms\n", what, ms(50), ms(99), len(all), ms(100))
}

// newKey is what the API tells of a key that it has made.
type newKey struct{ ID, Key string }

func (r *keyRun) makeKey(ctx context.Context, ends *time.Time) (newKey, error) {
	var made newKey
	settings := map[string]any{"name": "bench", "expires_at": ends}
	return made, r.box.call(ctx, http.MethodPost, "/keys", settings, &made)
}
