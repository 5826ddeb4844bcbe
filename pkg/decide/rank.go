package decide

import (
	"cmp"
	"slices"

	"github.com/signalbox/signalbox/pkg/policy"
)

// strategy puts candidates in order, the preferred first. Those that may not
// serve are among them, so that the order of the others does not depend on
// them. Equal ones stay in the order in which they are written.
type strategy struct {
	rank   func(r *policy.Rule, q *Question, all []*judgement)
	reason string
	// because says in a few words what the chosen one is.
	because func(f *field, j *judgement)
}

// strategyOf is what a policy's word stands for. One that is not known is taken
// as ordered, which is to do nothing.
func strategyOf(s policy.Strategy) strategy {
	switch s {
	case policy.Cheapest:
		return strategy{byCost, ReasonCheapest, (*field).sayCost}
	case policy.BestQuality:
		return strategy{func(_ *policy.Rule, _ *Question, all []*judgement) { byQuality(all) }, ReasonQuality, (*field).sayQuality}
	case policy.Fastest:
		return strategy{byLatency, ReasonFastest, (*field).sayLatency}
	case policy.Balanced:
		return strategy{byBalance, ReasonBalanced, func(f *field, _ *judgement) { f.say("has the best balance of quality, cost and time") }}
	case policy.Weighted:
		return strategy{byChance, ReasonWeighted, func(f *field, _ *judgement) { f.say("is the one drawn by weight") }}
	}
	return strategy{func(*policy.Rule, *Question, []*judgement) {}, ReasonOrdered, func(f *field, _ *judgement) { f.say("is the first") }}
}

func rank(r *policy.Rule, q *Question, all []*judgement) { strategyOf(r.Strategy).rank(r, q, all) }

// cheaper compares expected costs; what has no price comes last.
func cheaper(a, b *judgement) int {
	switch {
	case a.priced && b.priced:
		return cmp.Compare(a.cost, b.cost)
	case a.priced:
		return -1
	case b.priced:
		return 1
	}
	return 0
}

func better(a, b *judgement) int { return cmp.Compare(b.quality, a.quality) }

// byCost is the strategy cheapest: by expected cost, then quality.
func byCost(_ *policy.Rule, _ *Question, all []*judgement) {
	slices.SortStableFunc(all, func(a, b *judgement) int { return cmp.Or(cheaper(a, b), better(a, b)) })
}

// byQuality is the strategy quality: by quality, then expected cost.
func byQuality(all []*judgement) {
	slices.SortStableFunc(all, func(a, b *judgement) int { return cmp.Or(better(a, b), cheaper(a, b)) })
}

// byLatency is the strategy fastest. Who is not known stands in the middle of
// those who are: neither shunned for ever nor preferred blindly.
func byLatency(_ *policy.Rule, _ *Question, all []*judgement) {
	middle := middleLatency(all)
	slices.SortStableFunc(all, func(a, b *judgement) int {
		return cmp.Compare(cmp.Or(a.latency, middle), cmp.Or(b.latency, middle))
	})
}

// middleLatency is the lower median of the known ones; 0 when there is none.
func middleLatency(all []*judgement) int64 {
	var few [16]int64
	known := few[:0]
	for _, j := range all {
		if j.latency > 0 {
			known = append(known, j.latency)
		}
	}
	if len(known) == 0 {
		return 0
	}
	slices.Sort(known)
	return known[(len(known)-1)/2]
}
