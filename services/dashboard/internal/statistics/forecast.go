package statistics

// assumedMean is the mean that a forecast assumes before there are observations.
const assumedMean = 0.8

// SamplesToWidth forecasts about how many more scores in [0, 1] make their interval as
// narrow as width, and at least MinSamples in total. It returns 0 if there are enough.
func SamplesToWidth(s Sample, width, alpha float64) int64 {
	mean := assumedMean
	if s.N >= MinSamples {
		mean = s.Mean()
	}
	reached := func(n int64) bool {
		return n >= MinSamples && MeanInterval(Sample{N: n, Sum: mean * float64(n)}, alpha).Width() <= width
	}
	if reached(s.N) {
		return 0
	}
	return forecast(s.N, reached)
}

// forecast returns about how many more samples make reached true, given n of them. It
// doubles the number until reached is true, then halves the distance to 2 %.
func forecast(n int64, reached func(int64) bool) int64 {
	low, high := n, max(2*n, MinSamples)
	for ; !reached(high); high *= 2 {
		if low = high; high-n >= maxForecast {
			return maxForecast
		}
	}
	for high-low > max(1, high/50) {
		if mid := (low + high) / 2; reached(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return roundUp(max(1, high-n))
}
