package statistics

import "math"

// Interval is a range of values that contains the true value with probability 1 - alpha.
type Interval struct{ Low, High float64 }

// Width returns the distance of the ends.
func (i Interval) Width() float64 { return i.High - i.Low }

// Contains reports whether a value is in the interval.
func (i Interval) Contains(v float64) bool { return i.Low <= v && v <= i.High }

// Sample sums up observations. The zero value has none.
type Sample struct {
	N int64
	// Sum and Squares are the sums of the observations and of their squares.
	Sum, Squares float64
}

// Add adds one observation.
func (s *Sample) Add(x float64) {
	s.N++
	s.Sum += x
	s.Squares += x * x
}

// Mean returns the mean of the observations, or 0 if there are none.
func (s Sample) Mean() float64 {
	if s.N == 0 {
		return 0
	}
	return s.Sum / float64(s.N)
}

// bisectionSteps is enough for an error below 2^-40.
const bisectionSteps = 40

// bisect returns the boundary between the values for which the bet has won, which begin at
// won, and the others, which begin at open.
func bisect(won, open float64, wins func(m float64) bool) float64 {
	if !wins(won) {
		return won // nothing is excluded on this side
	}
	for range bisectionSteps {
		if mid := (won + open) / 2; wins(mid) {
			won = mid
		} else {
			open = mid
		}
	}
	return won
}

// MeanInterval returns the interval for the mean of scores in [0, 1].
func MeanInterval(s Sample, alpha float64) Interval {
	if s.N == 0 {
		return Interval{0, 1}
	}
	good := min(max(s.Sum, 0), float64(s.N))
	bad := float64(s.N) - good
	// The capital of the bet against m is B(good+1/2, bad+1/2) / B(1/2, 1/2) / (m^good *
	// (1-m)^bad): the Jeffreys mixture over the alternatives.
	capital := logBeta(good+0.5, bad+0.5) - logBeta(0.5, 0.5)
	wins := func(m float64) bool { return capital-powLog(m, good)-powLog(1-m, bad) >= -math.Log(alpha) }
	mean := s.Mean()
	return Interval{bisect(0, mean, wins), bisect(1, mean, wins)}
}

// powLog returns n*log(p), and 0 for n = 0.
func powLog(p, n float64) float64 {
	if n == 0 {
		return 0
	}
	return n * math.Log(p)
}

func logBeta(a, b float64) float64 {
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	return la + lb - lab
}
