package rollout

import (
	"math"

	"github.com/signalbox/signalbox/services/dashboard/internal/statistics"
)

// Name is the name of a guardrail.
type Name string

// The guardrails.
const (
	Errors   Name = "errors"
	Latency  Name = "latency"
	Cost     Name = "cost"
	Signals  Name = "signals"
	Feedback Name = "feedback"
)

// Verdict says what a guardrail has found.
type Verdict string

// The verdicts.
const (
	// Breached means that the candidate is worse by more than the limit.
	Breached Verdict = "breached"
	// Suspect means that the candidate looks worse by more than the limit, but that may be
	// chance.
	Suspect Verdict = "suspect"
	// Within means that the candidate is not worse by more than the limit.
	Within Verdict = "within"
	// Open means that neither is certain, and that nothing looks wrong.
	Open Verdict = "open"
	// NoData means that there is too little data to compare.
	NoData Verdict = "not_enough_data"
)

// Limits are the limits of the guardrails. All are how much worse the candidate may be: shares
// as differences, such as 0.02, and latency and cost relative, such as 0.5.
type Limits struct{ Errors, Latency, Cost, Quality float64 }

// Guardrail is the comparison of one figure.
type Guardrail struct {
	Name    Name
	Verdict Verdict
	// Stable and Candidate are the means: the share of failed requests, the typical latency
	// in microseconds, the mean cost in micro-USD, and the mean quality from 0 to 1.
	Stable, Candidate float64
	// Samples are how many requests of each version have the figure.
	StableSamples, CandidateSamples int64
	// Worse is how much worse the candidate is: a difference or, for latency and cost, a
	// relative one. It is negative if the candidate is better. The interval contains the
	// true value.
	Worse    float64
	Interval statistics.Interval
	Limit    float64
}

// comparisons is over how many comparisons the error probability is spread: five guardrails
// at three steps, with an interval for each version.
const comparisons = 5 * 3 * 2

// Judge compares the versions. With probability 1 - statistics.Alpha, no guardrail of a
// rollout is ever breached by chance, however often it is called.
func Judge(s Sides, limit Limits) []Guardrail {
	alpha := statistics.WidestAlpha(statistics.Alpha, comparisons)
	share := func(of statistics.Sample) statistics.Interval { return statistics.MeanInterval(of, alpha) }
	mean := func(of statistics.Sample) statistics.Interval { return statistics.AsymptoticInterval(of, alpha) }
	return []Guardrail{
		compare(Errors, failures(s.Stable), failures(s.Candidate), limit.Errors, share, difference),
		compare(Latency, s.Stable.Latency, s.Candidate.Latency, limit.Latency, mean, ratioOfLogs),
		compare(Cost, s.Stable.Cost, s.Candidate.Cost, limit.Cost, mean, ratio),
		compare(Signals, clean(s.Stable), clean(s.Candidate), limit.Quality, share, loss),
		compare(Feedback, s.Stable.Rated, s.Candidate.Rated, limit.Quality, share, loss),
	}
}

func failures(f Figures) statistics.Sample {
	return statistics.Sample{N: f.Requests, Sum: float64(f.Failures)}
}

// clean returns the quality of all responses that were searched for signals: 1 minus the
// weight of the strongest signal.
func clean(f Figures) statistics.Sample {
	return statistics.Sample{N: f.Responses, Sum: max(0, float64(f.Responses)-f.FlaggedWeight)}
}

// The ways to say how much worse a candidate with mean c is than the stable version with mean s.
func difference(s, c float64) float64  { return c - s }
func loss(s, c float64) float64        { return s - c }
func ratioOfLogs(s, c float64) float64 { return math.Exp(c-s) - 1 }

func ratio(s, c float64) float64 {
	switch {
	case s <= 0 && c <= 0: // both are free
		return 0
	case s <= 0:
		return math.Inf(1)
	}
	return max(c, 0)/s - 1
}

func compare(name Name, s, c statistics.Sample, limit float64, interval func(statistics.Sample) statistics.Interval, worse func(s, c float64) float64) Guardrail {
	g := Guardrail{
		Name: name, Verdict: NoData, Stable: s.Mean(), Candidate: c.Mean(), StableSamples: s.N, CandidateSamples: c.N, Limit: limit,
		Interval: statistics.Interval{Low: math.Inf(-1), High: math.Inf(1)},
	}
	if name == Latency && s.N > 0 && c.N > 0 {
		g.Stable, g.Candidate = math.Exp(g.Stable), math.Exp(g.Candidate)
	}
	if s.N == 0 || c.N == 0 {
		return g
	}
	of, than := interval(c), interval(s)
	ends := [2]float64{worse(than.High, of.Low), worse(than.Low, of.High)}
	if name == Signals || name == Feedback { // a high quality is good
		ends = [2]float64{worse(than.Low, of.High), worse(than.High, of.Low)}
	}
	g.Worse, g.Interval = worse(s.Mean(), c.Mean()), statistics.Interval{Low: ends[0], High: ends[1]}
	g.Verdict = judge(g)
	return g
}

func judge(g Guardrail) Verdict {
	switch {
	case g.Interval.Low > g.Limit:
		return Breached
	case min(g.StableSamples, g.CandidateSamples) < statistics.MinSamples:
		return NoData
	case g.Interval.High <= g.Limit:
		return Within
	case g.Worse > g.Limit:
		return Suspect
	}
	return Open
}

// Settings are the limits in the units of the router: thousandths and percent.
type Settings interface {
	GetErrorPoints() int64
	GetLatencyPercent() int64
	GetCostPercent() int64
	GetQualityPoints() int64
}

// LimitsOf converts settings.
func LimitsOf(s Settings) Limits {
	return Limits{
		Errors: float64(s.GetErrorPoints()) / 1000, Latency: float64(s.GetLatencyPercent()) / 100,
		Cost: float64(s.GetCostPercent()) / 100, Quality: float64(s.GetQualityPoints()) / 1000,
	}
}
