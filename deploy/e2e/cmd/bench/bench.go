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

// bench is one run: every peer under every load, for several rounds.
type bench struct {
	out      io.Writer
	bin      string
	split    string
	rounds   int
	each     time.Duration
	keep     bool
	profiles bool
	peers    []peer
	loads    []load

	upstream *child
	// box is the running gateway, if any.
	box *signalbox
	// priorityErr is why loads with a rate were measured without realtime priority.
	priorityErr error
	// results holds the figures of each round, by peer and load.
	results  map[string]map[string][]figures
	problems []string
}

var errInvalidFigures = errors.New("the figures are not valid: requests failed or records are missing, see above")

func (b *bench) run(ctx context.Context) (err error) {
	if b.rounds < 1 || b.each <= 0 || len(b.peers) == 0 || len(b.loads) == 0 {
		return errors.New("nothing to measure")
	}
	began := time.Now()
	b.printf("%d cores, load average before: %s\n", runtime.NumCPU(), loadAverage())
	if b.upstream, err = startSelf(ctx, nil, roleUpstream); err != nil {
		return err
	}
	defer b.upstream.stop()
	for round := range b.rounds {
		if err := b.runRound(ctx, round); err != nil {
			return fmt.Errorf("round %d: %w", round+1, err)
		}
	}
	return b.report(time.Since(began))
}

// runRound measures every load on every peer. The peers take turns under each load, so that a
// disturbance affects all of them, and the order of the turns differs from round to round.
func (b *bench) runRound(ctx context.Context, round int) (err error) {
	last := round == b.rounds-1
	defer func() {
		if b.box != nil && (err != nil || last || !b.keep) {
			b.box.stop()
			b.box = nil
		}
	}()
	subjects, err := b.startSubjects(ctx)
	defer func() {
		for _, s := range subjects {
			s.stop()
		}
	}()
	if err != nil {
		return err
	}
	for _, l := range b.loads {
		if err := b.measureInTurn(ctx, l, rotate(subjects, round)); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return b.checkRecords(ctx, b.box)
}

// noteFailures records failed requests. Failures of the plain Go proxy are printed
// but do not fail the run, because it is known to drop a few requests.
func (b *bench) noteFailures(p peer, l load, o outcome) {
	if o.failed == 0 {
		return
	}
	text := fmt.Sprintf("%s: %s: %d of %d requests failed, first: %v", p.name, l.name, o.failed, o.failed+len(o.took), o.firstErr)
	if p.mayFail {
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
