package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"
)

// bench is one run: every peer, every load, several rounds.
type bench struct {
	out      io.Writer
	binary   string
	rounds   int
	each     time.Duration
	profiles string

	upstream *child
	// results are by peer, then by load, one for each round.
	results  map[string]map[string][]figures
	problems []string
}

var errUnsound = errors.New("requests failed or records are missing, see above")

func (b *bench) run(ctx context.Context) error {
	if b.rounds < 1 || b.each <= 0 {
		return errors.New("nothing to measure in no rounds or no time")
	}
	began := time.Now()
	b.printf("%d cores, load average before: %s\n", runtime.NumCPU(), loadAverage())
	b.results = map[string]map[string][]figures{}
	if err := b.startUpstream(ctx); err != nil {
		return err
	}
	defer b.upstream.stop()
	for round := range b.rounds {
		for _, p := range b.peers() {
			if err := b.measure(ctx, p); err != nil {
				return fmt.Errorf("round %d, %s: %w", round+1, p.name, err)
			}
		}
	}
	b.printTables()
	b.printf("%d rounds in %.0f s, medians shown\n", b.rounds, time.Since(began).Seconds())
	for _, p := range b.problems {
		b.printf("problem: %s\n", p)
	}
	if len(b.problems) > 0 {
		return errUnsound
	}
	return nil
}

func (b *bench) startUpstream(ctx context.Context) (err error) {
	b.upstream, err = startSelf(ctx, roleUpstream)
	return err
}

// measure starts a peer, puts every load on it, and ends it.
func (b *bench) measure(ctx context.Context, p peer) error {
	t, err := p.start(ctx)
	if err != nil {
		return err
	}
	defer t.stop()
	g := &generator{address: t.address, path: t.path, key: t.key, model: p.model}
	defer g.close()
	warm := g.run(ctx, warmUp, warmFor)
	b.note(p, warmUp, warm)
	for _, l := range loads() {
		stopProfile := b.profile(ctx, p, t, l)
		f, err := b.measureLoad(ctx, t, g, l)
		if err := errors.Join(err, stopProfile()); err != nil {
			return err
		}
		b.note(p, l, f.outcome)
		if b.results[p.name] == nil {
			b.results[p.name] = map[string][]figures{}
		}
		b.results[p.name][l.name] = append(b.results[p.name][l.name], f)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return b.checkRecords(ctx, p, t, g.answered)
}

// note keeps what failed. Failures of the plain proxy are told and forgiven:
// it is here for comparison, and known to drop a few.
func (b *bench) note(p peer, l load, o outcome) {
	if o.failed == 0 {
		return
	}
	text := fmt.Sprintf("%s: %s: %d of %d requests failed, first: %v", p.name, l.name, o.failed, o.failed+len(o.took), o.first)
	if p.forgiven {
		b.printf("note: %s\n", text)
		return
	}
	b.problems = append(b.problems, text)
}

func (b *bench) printf(format string, args ...any) { fmt.Fprintf(b.out, format, args...) }

func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}
