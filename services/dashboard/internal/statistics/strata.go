package statistics

// Stratum has the scores in [0, 1] of two groups of requests of one kind. The groups are not
// paired: different requests are in them.
type Stratum struct{ Candidate, Other Sample }

// CompareStrata compares the candidate with the other group, stratum by stratum, each weighted
// by the candidate's observations. Strata in which a group has no observations do not count. N
// of the result is the number of the candidate's observations that count.
func CompareStrata(all []Stratum, margin, alpha float64) Comparison {
	var used []Stratum
	for _, s := range all {
		if s.Candidate.N > 0 && s.Other.N > 0 {
			used = append(used, s)
		}
	}
	c := Comparison{Verdict: Unknown, Interval: strataInterval(used, 1, alpha)}
	smallest := int64(0)
	for _, s := range used {
		c.N += s.Candidate.N
		smallest += min(s.Candidate.N, s.Other.N)
	}
	if smallest >= MinSamples {
		c.Verdict = judge(c.Interval, margin)
	}
	if c.Verdict == Unknown {
		c.More = samplesToStrataVerdict(used, c.N, margin, alpha)
	}
	return c
}

// strataInterval returns the interval of the difference if every sample were growth times as
// large.
func strataInterval(used []Stratum, growth, alpha float64) Interval {
	if len(used) == 0 {
		return Interval{-1, 1}
	}
	each, total, out := WidestAlpha(alpha, 2*len(used)), 0.0, Interval{}
	for _, s := range used {
		total += float64(s.Candidate.N)
	}
	for _, s := range used {
		weight := float64(s.Candidate.N) / total
		candidate, other := MeanInterval(s.Candidate.grown(growth), each), MeanInterval(s.Other.grown(growth), each)
		out.Low += weight * (candidate.Low - other.High)
		out.High += weight * (candidate.High - other.Low)
	}
	return out
}

func (s Sample) grown(by float64) Sample {
	return Sample{N: int64(float64(s.N) * by), Sum: s.Sum * by, Squares: s.Squares * by}
}

// samplesToStrataVerdict forecasts how many more observations of the candidate a verdict needs
// if they are like those so far. With few observations it assumes equal groups.
func samplesToStrataVerdict(used []Stratum, n int64, margin, alpha float64) int64 {
	if n < MinSamples {
		equal := Sample{N: MinSamples, Sum: assumedMean * MinSamples}
		used, n = []Stratum{{equal, equal}}, MinSamples
	}
	return forecast(n, func(count int64) bool {
		return judge(strataInterval(used, float64(count)/float64(n), alpha), margin) != Unknown
	})
}
