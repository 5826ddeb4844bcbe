// Package stats summarises the rounds of a benchmark and formats figures for its tables.
package stats

import (
	"slices"
	"time"
)

// Spread is the median of several rounds with the lowest and the highest value.
type Spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// NewSpread returns nil without values.
func NewSpread(values []float64) *Spread {
	if len(values) == 0 {
		return nil
	}
	return &Spread{Median(values), slices.Min(values), slices.Max(values)}
}

// Format returns the median as text, "-" without values.
func (s *Spread) Format(number func(float64) string) string {
	if s == nil {
		return "-"
	}
	return number(s.Median)
}

// FormatRange returns the lowest and the highest value as text, "-" without values.
func (s *Spread) FormatRange(number func(float64) string) string {
	if s == nil {
		return "-"
	}
	return number(s.Min) + "-" + number(s.Max)
}

// Median returns the mean of the two middle values if their number is even.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	v := slices.Sorted(slices.Values(values))
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}

// Micros returns a duration in microseconds.
func Micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
