package main

import (
	"fmt"
	"slices"
	"text/tabwriter"
)

// targetRow is a figure of Signalbox beside the same figure of its peers. Ratio is its median
// multiple of the plain Go proxy's figure in the same round. Met is nil if there is no target.
type targetRow struct {
	Figure  string  `json:"figure"`
	Peer    string  `json:"peer"`
	Nginx   *spread `json:"nginx"`
	Forward *spread `json:"go_reverseproxy"`
	Value   *spread `json:"value"`
	Ratio   *spread `json:"ratio"`
	Must    string  `json:"must,omitempty"`
	Aim     string  `json:"aim,omitempty"`
	Met     *bool   `json:"met"`
}

// spread is the median of several rounds with the lowest and the highest value.
type spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// newSpread returns nil without values.
func newSpread(values []float64) *spread {
	if len(values) == 0 {
		return nil
	}
	return &spread{median(values), slices.Min(values), slices.Max(values)}
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
		Figure: c.under + ", " + c.name, Peer: peer, Value: newSpread(values),
		Nginx: newSpread(b.columnRounds(nameNginx, c)), Forward: newSpread(b.columnRounds(nameForward, c)),
		Ratio: newSpread(b.ratios(peer, c, limit{})), Must: c.limitOf(peer).format(), Aim: c.aim.format(),
	}
	switch l := c.limitOf(peer); {
	case l.most > 0:
		r.Met = new(r.Value.Median <= l.most)
	case l.times > 0:
		if reached := newSpread(b.ratios(peer, c, l)); reached != nil {
			r.Met = new(reached.Median <= l.times)
		}
	}
	return r
}

func (l limit) format() string {
	switch {
	case l.most > 0:
		return "<= " + formatThousands(l.most)
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
			r.Nginx.format(formatThousands), r.Forward.format(formatThousands),
			r.Value.format(formatThousands), r.Value.formatRange(formatThousands),
			r.Ratio.format(formatRatio), r.Ratio.formatRange(formatRatio), r.Must, formatVerdict(r.Met), r.Aim)
	}
	_ = w.Flush()
}

func formatRatio(v float64) string { return fmt.Sprintf("%.2f", v) }

func (s *spread) format(number func(float64) string) string {
	if s == nil {
		return "-"
	}
	return number(s.Median)
}

func (s *spread) formatRange(number func(float64) string) string {
	if s == nil {
		return "-"
	}
	return number(s.Min) + "-" + number(s.Max)
}

func formatVerdict(met *bool) string {
	switch {
	case met == nil:
		return ""
	case *met:
		return "met"
	}
	return "NOT met"
}
