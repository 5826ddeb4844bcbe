// Package compare measures the cost of the gateway and compares it with no gateway, a plain Go
// reverse proxy and nginx. It prints a table with the targets and writes every figure as JSON.
package compare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/rig"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/traffic"
	"github.com/signalbox/signalbox/deploy/e2e/procfs"
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
	loads    []traffic.Load

	upstream *rig.Child
	// box is the running gateway, if any.
	box *rig.Box
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
	b.printf("%d cores, load average before: %s\n", runtime.NumCPU(), procfs.LoadAverage())
	if b.upstream, err = rig.StartSelf(ctx, nil, rig.RoleUpstream); err != nil {
		return err
	}
	defer b.upstream.Stop()
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
			b.box.Stop()
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
func (b *bench) noteFailures(p peer, l traffic.Load, o traffic.Outcome) {
	if o.Failed == 0 {
		return
	}
	text := fmt.Sprintf("%s: %s: %d of %d requests failed, first: %v", p.name, l.Name, o.Failed, o.Failed+len(o.Took), o.FirstErr)
	if p.mayFail {
		b.printf("note: %s\n", text)
		return
	}
	b.problems = append(b.problems, text)
}

func (b *bench) printf(format string, args ...any) { fmt.Fprintf(b.out, format, args...) }
