package statistics

import "math"

// Verdict says how a candidate compares with the one before.
type Verdict string

// The verdicts.
const (
	// Better means that the candidate is better.
	Better Verdict = "better"
	// NotWorse means that the candidate is at most the margin worse. It may be better.
	NotWorse Verdict = "not_worse"
	// Worse means that the candidate is worse, and that it may be worse by more than the
	// margin.
	Worse Verdict = "worse"
	// Unknown means that there is not enough data yet.
	Unknown Verdict = "not_enough_data"
)

// MinSamples is the number of comparisons below which no verdict is given, because a few
// requests of one afternoon are not what the traffic is like.
const MinSamples = 50

// Comparison is the result of comparing a candidate with the one before.
type Comparison struct {
	Verdict  Verdict
	Interval Interval
	N        int64
	// More is about how many further comparisons a verdict needs. It is 0 if there is a
	// verdict.
	More int64
}

// Compare judges paired differences in [-1, 1]: the score of the candidate minus the score
// of the other. margin is how much worse the candidate may be, such as 0.02.
func Compare(s Sample, margin, alpha float64) Comparison {
	c := Comparison{Verdict: Decide(s, margin, alpha), Interval: DifferenceInterval(s, alpha), N: s.N}
	if c.Verdict == Unknown {
		c.More = samplesToVerdict(s, margin, alpha)
	}
	return c
}

// Decide returns the verdict of Compare: what judge says about DifferenceInterval, without the
// search for its bounds. So simulations can look after every sample.
func Decide(s Sample, margin, alpha float64) Verdict {
	if s.N < MinSamples {
		return Unknown
	}
	need := -math.Log(alpha / 2)
	switch {
	case betWins(s, 0, need):
		return Better
	case betWins(s, -margin, need):
		return NotWorse
	case betWins(Sample{N: s.N, Sum: -s.Sum, Squares: s.Squares}, 0, need):
		return Worse
	}
	return Unknown
}

func judge(i Interval, margin float64) Verdict {
	switch {
	case i.Low > 0:
		return Better
	case i.Low > -margin:
		return NotWorse
	case i.High < 0:
		return Worse
	}
	return Unknown
}

// maxForecast is the largest number of further samples that is forecast.
const maxForecast = 1_000_000

// samplesToVerdict forecasts how many more samples a verdict needs if they are like those
// so far. Before the first samples it assumes equal candidates with 20 % discordant pairs.
func samplesToVerdict(s Sample, margin, alpha float64) int64 {
	mean, square := 0.0, 0.2
	if s.N >= MinSamples {
		mean, square = s.Mean(), max(s.Squares/float64(s.N), 1/float64(s.N))
	}
	reached := func(n int64) bool {
		grown := Sample{N: n, Sum: mean * float64(n), Squares: square * float64(n)}
		return Decide(grown, margin, alpha) != Unknown
	}
	return forecast(s.N, reached)
}

// roundUp rounds to two digits, because a forecast is not more precise.
func roundUp(n int64) int64 {
	unit := int64(math.Pow10(max(0, int(math.Log10(float64(n)))-1)))
	return (n + unit - 1) / unit * unit
}
