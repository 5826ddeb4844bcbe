package main

import (
	"slices"
	"time"
)

func perResponse(d time.Duration, o outcome) float64 {
	if len(o.took) == 0 {
		return 0
	}
	return toMicros(d) / float64(len(o.took))
}

func toMicros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

func whole(t timing) time.Duration { return t.whole }
func first(t timing) time.Duration { return t.first }

// percentile returns the smallest time that p percent of the responses did not exceed,
// in microseconds.
func percentile(took []timing, p int, of func(timing) time.Duration) float64 {
	if len(took) == 0 {
		return 0
	}
	all := make([]time.Duration, len(took))
	for i, t := range took {
		all[i] = of(t)
	}
	slices.Sort(all)
	return toMicros(all[(len(all)*p+99)/100-1])
}

// median returns the mean of the two middle values if their number is even.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	v := slices.Sorted(slices.Values(values))
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}

func sum(values []float64) (all float64) {
	for _, v := range values {
		all += v
	}
	return all
}
