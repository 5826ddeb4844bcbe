package decide_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
)

// BenchmarkSessionOverhead prints how much longer a decision takes with a session than without
// one, in percent. It measures short slices of both in turn and compares the fastest ones, so
// that other work of the machine does not count.
func BenchmarkSessionOverhead(b *testing.B) {
	for _, strategy := range []string{"balanced", "cheapest"} {
		p := compiled(b, wideWithCache(5, strategy))
		for _, kind := range []string{"session", "loop"} {
			with := sessionQuestion()
			with.Session.ToolLoop = kind == "loop"
			without := with
			without.Session = nil
			b.Run(fmt.Sprintf("%s/%s", strategy, kind), func(b *testing.B) {
				fastest := [2]time.Duration{time.Hour, time.Hour}
				for b.Loop() {
					for i, q := range []*decide.Question{&without, &with} {
						fastest[i] = min(fastest[i], timeDecisions(b, p, q))
					}
				}
				b.ReportMetric(float64(fastest[0].Nanoseconds())/sliceLength, "none-ns")
				b.ReportMetric(float64(fastest[1].Nanoseconds())/sliceLength, "with-ns")
				b.ReportMetric(100*(float64(fastest[1])/float64(fastest[0])-1), "overhead-%")
			})
		}
	}
}

// sliceLength is the number of decisions of a slice: much less than a time slice of the system.
const sliceLength = 100

func timeDecisions(b *testing.B, p *policy.Policy, q *decide.Question) time.Duration {
	began := time.Now()
	for range sliceLength {
		if _, err := decide.Decide(p, *q, decide.AllHealthy{}); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(began)
}
