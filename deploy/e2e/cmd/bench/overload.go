package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"runtime"
	"time"
)

// modeOverload measures what becomes of more than the gateway can take, instead
// of what requests cost.
const modeOverload = "overload"

const (
	// places is how many requests the gateway is allowed to run. Each takes the
	// upstream a quarter of a second, so that its capacity is known and small.
	places = 32
	// tooMuch is how many times its capacity is asked of it.
	tooMuch = 10
	// quietClients are those of the account that does nothing wrong.
	quietClients = 4
	// quietPause is within what they ask again, so that they do not keep step with
	// the noisy account's streams, which last as long as theirs.
	quietPause = 50 * time.Millisecond
	phaseLasts = 8 * time.Second
	// quietLasts is long enough for some 350 requests of theirs, or the p99 would
	// be the slowest of all.
	quietLasts = 25 * time.Second
)

// overloadRun measures one gateway.
type overloadRun struct {
	out io.Writer
	box *signalbox
	// noisy are two keys of one account, as one alone has half of the places, and
	// quiet is one of another.
	noisy [2]string
	quiet string
}

// measureOverload is the mode. It prints and does not judge.
func measureOverload(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet(modeOverload, flag.ContinueOnError)
	bin := flags.String("bin", "bin", "folder of the binaries to measure")
	if err := flags.Parse(args); err != nil {
		return err
	}
	upstream, err := startSelf(ctx, nil, roleUpstream)
	if err != nil {
		return err
	}
	defer upstream.stop()
	box, err := startAllInOne(ctx, *bin, upstream.address, "--max-requests", fmt.Sprint(places))
	if err != nil {
		return err
	}
	defer box.stop()
	r := &overloadRun{out: out, box: box}
	if err := r.makeKeys(ctx); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "%d cores, load average before: %s; %d places, streams of %v\n", runtime.NumCPU(), loadAverage(), places, chunkCount*chunkPause)
	r.measure(ctx)
	mib, err := peakMemory(box.proxy)
	_, _ = fmt.Fprintf(out, "largest size of the gateway: %.0f MiB\n", mib)
	return err
}

func (r *overloadRun) makeKeys(ctx context.Context) (err error) {
	if err := r.box.openSession(ctx); err != nil {
		return err
	}
	for i := range r.noisy {
		if r.noisy[i], err = r.box.makeKey(ctx); err != nil {
			return err
		}
	}
	r.quiet, err = r.box.stranger(ctx)
	return err
}

func (r *overloadRun) measure(ctx context.Context) {
	// By an account that is alone, as a stranger would be left some places.
	r.phase(ctx, "warm up", func(c *callers) { c.loop(r.noisy[0], quietClients, 0) })
	full := r.phase(ctx, "as many clients as places", func(c *callers) {
		for _, key := range r.noisy {
			c.loop(key, places/len(r.noisy), 0)
		}
	})
	capacity := full.rate(full.served)
	flood := func(c *callers) {
		for _, key := range r.noisy {
			c.open(key, tooMuch*capacity/float64(len(r.noisy)))
		}
	}
	r.phase(ctx, fmt.Sprintf("%d times the capacity", tooMuch), flood)
	alone, _ := r.quietly(ctx, "a quiet account alone", func(*callers) {})
	beside, noise := r.quietly(ctx, "a quiet account beside a noisy one", flood)
	noise.print(r.out, "the noisy one meanwhile")
	_, _ = fmt.Fprintf(r.out, "first token of the quiet account, p99: %.2f times\n", percentile(beside.served, 99, first)/percentile(alone.served, 99, first))
}

// phase puts callers on the gateway and prints what became of them.
func (r *overloadRun) phase(ctx context.Context, name string, begin func(*callers)) *heard {
	c := newCallers(ctx, r.box.edge)
	begin(c)
	h := c.wait(phaseLasts)
	h.print(r.out, name)
	return h
}

// quietly measures the quiet account while others do something, and returns what
// they heard as well.
func (r *overloadRun) quietly(ctx context.Context, name string, begin func(*callers)) (quiet, others *heard) {
	noise := newCallers(ctx, r.box.edge)
	begin(noise)
	c := newCallers(ctx, r.box.edge)
	c.loop(r.quiet, quietClients, quietPause)
	quiet, others = c.wait(quietLasts), noise.wait(0)
	quiet.print(r.out, name)
	return quiet, others
}

// stranger makes another account and returns a key of it.
func (s *signalbox) stranger(ctx context.Context) (string, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", err
	}
	other := &signalbox{api: s.api, session: &http.Client{Jar: jar, Timeout: requestLimit}}
	who := map[string]string{"email": "quiet@example.com", "password": "correct horse battery", "name": "quiet"}
	if err := other.call(ctx, http.MethodPost, "/register", who, nil); err != nil {
		return "", err
	}
	return other.makeKey(ctx)
}

func (s *signalbox) makeKey(ctx context.Context) (string, error) {
	var made newKey
	err := s.call(ctx, http.MethodPost, "/keys", map[string]any{"name": "bench"}, &made)
	return made.Key, err
}
