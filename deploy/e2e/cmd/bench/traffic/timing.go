package traffic

import (
	"slices"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/stats"
)

// Timing holds the durations of one request: to the first body byte and to the end.
type Timing struct {
	First, Whole time.Duration
}

// Whole returns the time to the end of the response.
func Whole(t Timing) time.Duration { return t.Whole }

// First returns the time to the first byte of the body.
func First(t Timing) time.Duration { return t.First }

// Percentile returns the smallest time that p percent of the responses did not exceed,
// in microseconds.
func Percentile(took []Timing, p int, of func(Timing) time.Duration) float64 {
	if len(took) == 0 {
		return 0
	}
	all := make([]time.Duration, len(took))
	for i, t := range took {
		all[i] = of(t)
	}
	slices.Sort(all)
	return stats.Micros(all[(len(all)*p+99)/100-1])
}
