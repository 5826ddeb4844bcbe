package statistics

import "math"

// tightAt is the number of observations at which an AsymptoticInterval is narrowest for its
// error probability.
const tightAt = 200

// AsymptoticInterval returns the interval for the mean of observations without known bounds,
// such as costs and logarithms of durations. Like the others, it may be looked at any number
// of times, but its error probability holds only approximately, for MinSamples observations
// and more. With fewer observations it excludes nothing.
// (Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas: Time-uniform central limit theory and
// asymptotic confidence sequences, Annals of Statistics 52, 2024, theorem 2.2.)
func AsymptoticInterval(s Sample, alpha float64) Interval {
	if s.N < MinSamples {
		return Interval{math.Inf(-1), math.Inf(1)}
	}
	n, mean := float64(s.N), s.Mean()
	variance := max(0, s.Squares/n-mean*mean) * n / (n - 1)
	spread := (-2*math.Log(alpha) + math.Log(-2*math.Log(alpha)+1)) / tightAt // rho squared
	scaled := n*spread + 1
	radius := math.Sqrt(variance * scaled / (n * n * spread) * math.Log(scaled/(alpha*alpha)))
	return Interval{mean - radius, mean + radius}
}
