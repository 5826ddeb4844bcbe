package compare

import (
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/stats"
)

// targetRow is a figure of Signalbox beside the same figure of its peers. Ratio is its median
// multiple of the plain Go proxy's figure in the same round. Met is nil if there is no target.
type targetRow struct {
	Figure  string        `json:"figure"`
	Peer    string        `json:"peer"`
	Nginx   *stats.Spread `json:"nginx"`
	Forward *stats.Spread `json:"go_reverseproxy"`
	Value   *stats.Spread `json:"value"`
	Ratio   *stats.Spread `json:"ratio"`
	Must    string        `json:"must,omitempty"`
	Aim     string        `json:"aim,omitempty"`
	Met     *bool         `json:"met"`
}

// targetRows returns a row for each figure of each measured peer that is Signalbox.
func (b *bench) targetRows() (rows []targetRow) {
	for _, c := range slices.Concat(targetColumns(), agentColumns()) {
		for _, p := range b.peers {
			if v := b.columnRounds(p.name, c); p.ours && len(v) > 0 {
				rows = append(rows, b.targetRow(p.name, c, v))
			}
		}
	}
	return rows
}

func (b *bench) targetRow(peer string, c column, values []float64) targetRow {
	r := targetRow{
		Figure: c.under + ", " + c.name, Peer: peer, Value: stats.NewSpread(values),
		Nginx: stats.NewSpread(b.columnRounds(nameNginx, c)), Forward: stats.NewSpread(b.columnRounds(nameForward, c)),
		Ratio: stats.NewSpread(b.ratios(peer, c, limit{})), Must: c.limitOf(peer).format(), Aim: c.aim.format(),
	}
	switch l := c.limitOf(peer); {
	case l.most > 0:
		r.Met = new(r.Value.Median <= l.most)
	case l.times > 0:
		if reached := stats.NewSpread(b.ratios(peer, c, l)); reached != nil {
			r.Met = new(reached.Median <= l.times)
		}
	}
	return r
}

func (l limit) format() string {
	switch {
	case l.most > 0:
		return "<= " + stats.FormatThousands(l.most)
	case l.load != "":
		return fmt.Sprintf("<= %.4g x %s", l.times, l.load)
	case l.times > 0:
		return fmt.Sprintf("<= %.4g x", l.times)
	}
	return ""
}

// printTargets prints every figure of Signalbox beside nginx and the plain Go proxy, with the
// ratio, the spread of the rounds and whether the target is met.
func (b *bench) printTargets() {
	w := tabwriter.NewWriter(b.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	b.printf("\n")
	fmt.Fprintf(w, "%-28s\tpeer\tnginx\tReverseProxy\tSignalbox\tlowest-highest\tratio\tlowest-highest\tmust\tresult\taim\t\n", "")
	for _, r := range b.targetRows() {
		fmt.Fprintf(w, "%-28s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", r.Figure, r.Peer,
			r.Nginx.Format(stats.FormatThousands), r.Forward.Format(stats.FormatThousands),
			r.Value.Format(stats.FormatThousands), r.Value.FormatRange(stats.FormatThousands),
			r.Ratio.Format(stats.FormatRatio), r.Ratio.FormatRange(stats.FormatRatio), r.Must, stats.FormatVerdict(r.Met), r.Aim)
	}
	_ = w.Flush()
}
