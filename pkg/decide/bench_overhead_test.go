package decide_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
)

// BenchmarkSessionOverhead prints how much longer a decision takes with a session than without
// one, in percent. It measures short slices of both in turn and prints the median of their
// ratios, so that other work of the machine does not count: it slows down both slices of most
// pairs, or one slice of few pairs.
func BenchmarkSessionOverhead(b *testing.B) {
	for _, strategy := range []string{"balanced", "cheapest"} {
		p := compiled(b, wideWithCache(5, strategy))
		for _, kind := range []string{"session", "loop"} {
			with := sessionQuestion()
			with.Session.ToolLoop = kind == "loop"
			without := with
			without.Session = nil
			b.Run(fmt.Sprintf("%s/%s", strategy, kind), func(b *testing.B) {
				var base, ratios, none, all []float64
				for b.Loop() {
					// The same order each time would favor one of the two.
					before, with, after := timeDecisions(b, p, &without), timeDecisions(b, p, &with), timeDecisions(b, p, &without)
					base, none, all = append(base, (before+after)/2), append(none, before, after), append(all, with)
					ratios = append(ratios, with/base[len(base)-1])
				}
				b.ReportMetric(median(base), "none-ns")
				b.ReportMetric(median(base)*median(ratios), "with-ns")
				b.ReportMetric(100*(median(ratios)-1), "overhead-%")
				b.ReportMetric(100*(fastest(all)/fastest(none)-1), "fastest-%")
			})
		}
	}
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// fastest returns the mean of the fastest tenth of the slices: those that other work of the
// machine disturbs least.
func fastest(slicesOfTime []float64) (mean float64) {
	slices.Sort(slicesOfTime)
	n := max(len(slicesOfTime)/10, 1)
	for _, ns := range slicesOfTime[:n] {
		mean += ns / float64(n)
	}
	return mean
}

// sliceLength is the number of decisions of a slice: much less than a time slice of the system.
const sliceLength = 100

// timeDecisions returns how long a decision takes, in nanoseconds.
func timeDecisions(b *testing.B, p *policy.Policy, q *decide.Question) float64 {
	began := time.Now()
	for range sliceLength {
		if _, err := decide.Decide(p, *q, decide.AllHealthy{}); err != nil {
			b.Fatal(err)
		}
	}
	return float64(time.Since(began).Nanoseconds()) / sliceLength
}
