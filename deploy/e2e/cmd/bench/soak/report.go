package soak

import (
	"context"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/rig"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/stats"
)

// tolerance is how far a figure of the last part may exceed that of the second. The first
// part is not compared, because it warms up. smallSlack is added, because small figures vary.
const (
	tolerance  = 0.1
	smallSlack = 5
	// medianParts is the number of parts of which medianRatio takes the median. Each fault happens in
	// one of them.
	medianParts = 4
	// emptySpool stands for the size of a spool that is just empty, in MB.
	emptySpool = 0.1
)

func (m partSample) formatProgress(part int) string {
	text := fmt.Sprintf("part %d: %d served, %d failed, %d with a fault, p50 %.0f us, p99 %.0f us (ReverseProxy %.0f us), upstream CPU %.1f us per request, spool %.1f MB, store %.1f MB",
		part, m.served, m.failed, m.faulty, m.p50, m.p99, m.forwardP99, m.cpu[rig.RoleUpstream], m.spool/1e6, m.store/1e6)
	if m.firstErr != nil {
		text += ", first failure: " + m.firstErr.Error()
	}
	return text
}

// report compares the last part with the second. One row compares the last parts with the first ones.
func (s *soak) report() {
	early, late := s.samples[1], s.samples[len(s.samples)-1]
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, before, after, slack float64) {
		fmt.Fprintf(w, "%s\t%.1f\t%.1f\t%s\t\n", name, before, after, stats.FormatVerdict(new(isFlat(before, after, slack))))
	}
	ratio := func(name string, before, after float64) {
		fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%s\t\n", name, before, after, stats.FormatVerdict(new(isFlat(before, after, 0))))
	}
	fmt.Fprint(w, "\npart\t2\t10\tat most 10 % more\t\n")
	for _, name := range sortedNames(late.resident) {
		row(name+" memory MiB", early.resident[name], late.resident[name], smallSlack)
	}
	for _, name := range sortedNames(late.goroutines) {
		row(name+" goroutines", early.goroutines[name], late.goroutines[name], smallSlack)
	}
	for _, name := range sortedNames(late.files) {
		row(name+" open files", early.files[name], late.files[name], smallSlack)
	}
	for _, name := range sortedNames(late.cpu) {
		row(name+" CPU us per request", early.cpu[name], late.cpu[name], smallSlack)
	}
	row("spool MB", max(early.spool/1e6, emptySpool), max(late.spool/1e6, emptySpool), smallSlack)
	row("p99 us", early.p99, late.p99, 0)
	row("p99 us of ReverseProxy", early.forwardP99, late.forwardP99, 0)
	ratio("p99, multiple of ReverseProxy's", early.p99Ratio(), late.p99Ratio())
	ratio("the same, medians of parts 2-5 and 7-10", s.medianRatio(1), s.medianRatio(parts-medianParts))
	row("store bytes per record", s.growthPerRecord(1), s.growthPerRecord(len(s.samples)-1), 0)
	_ = w.Flush()
	fmt.Fprintln(s.out, "The upstream and ReverseProxy do the same work in each part. If their figures grew, the machine became slower.")
}

// p99Ratio returns the p99 as a multiple of ReverseProxy's, 0 if ReverseProxy served nothing.
func (m partSample) p99Ratio() float64 {
	if m.forwardP99 == 0 {
		return 0
	}
	return m.p99 / m.forwardP99
}

// medianRatio returns the median p99Ratio of some parts, because other work of the machine may fall
// into a single one. It returns 0 if ReverseProxy served nothing in one of them.
func (s *soak) medianRatio(first int) float64 {
	var ratios []float64
	for _, part := range s.samples[first : first+medianParts] {
		ratios = append(ratios, part.p99Ratio())
	}
	if slices.Contains(ratios, 0) {
		return 0
	}
	return stats.Median(ratios)
}

// reportRecords waits for the last records and compares their number with the requests.
func (s *soak) reportRecords(ctx context.Context) error {
	sent := int(s.traffic.sent.Load())
	got, err := s.box.AwaitRecords(ctx, sent)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "\nledger: %d records of %d requests: %s\n", got.Requests, sent, stats.FormatVerdict(new(got.Requests == sent)))
	failed := 0
	for _, part := range s.samples {
		failed += part.failed
	}
	fmt.Fprintf(s.out, "requests that failed without a purpose: %d: %s\n", failed, stats.FormatVerdict(new(failed == 0)))
	return nil
}

// isFlat reports whether a figure has not grown. A figure of 0 was not measured: the process ended,
// or nothing was served.
func isFlat(before, after, slack float64) bool {
	return before > 0 && after > 0 && after <= before*(1+tolerance)+slack
}

// growthPerRecord returns by how much the store grew for each record of a part.
func (s *soak) growthPerRecord(part int) float64 {
	before, after := s.samples[part-1], s.samples[part]
	if after.records <= before.records {
		return 0
	}
	return (after.store - before.store) / (after.records - before.records)
}
