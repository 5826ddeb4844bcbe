package decide

import (
	"cmp"
	"slices"

	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/saturate"
)

// reference is what an aim compares the candidates with: the baseline model, that is, the
// model that the caller would use without routing.
type reference struct {
	model   string
	quality int64
	// cost is like evaluation.rankedCost. It is 0 if it is unknown.
	cost int64
}

// findReference returns the quality and the cost of the baseline. If the policy does not have
// the baseline, or not its quality, the best of the rule's candidates takes its place. In a
// session, the baseline counts as if it had served the session: it has cached as much as any
// candidate.
func (s *selection) findReference() reference {
	if m, ok := s.policy.Model(s.baseline()); ok && len(m.Endpoints) > 0 {
		e := evaluation{model: m, quality: expectedQuality(&s.question, m, s.choice.rule)}
		s.estimateCostsWithCache(&e, &m.Endpoints[0], s.mostCachedTokens())
		if e.quality > 0 && e.hasPrice {
			return reference{model: m.ID, quality: e.quality, cost: e.rankedCost}
		}
	}
	var best *evaluation
	for _, e := range s.selected {
		if best == nil || cmp.Or(compareQuality(e, best), compareCost(e, best)) < 0 {
			best = e
		}
	}
	if best == nil {
		return reference{}
	}
	return reference{model: best.candidate.Model, quality: best.quality, cost: best.rankedCost}
}

func aimOrder(a *policy.Aim) order {
	switch a.Kind {
	case policy.AimQuality:
		return order{rankByCost, ReasonAimQuality, (*selection).appendCostReason}
	case policy.AimCost:
		return order{rankByEnoughQuality, ReasonAimCost, (*selection).appendEnoughReason}
	}
	return order{rankByShares, ReasonAimBalanced, func(s *selection, _ *evaluation) {
		s.appendText("has the best balance of quality and cost, compared with ", s.bounds.reference.model, ",")
	}}
}

// enoughShare is the share of the reference's quality, in thousandths, beyond which the aim
// "cost" does not pay for more. Without it, a greeting would go to the best model that the
// aim allows, and cost more than with an aim for quality.
const enoughShare = 950

// enoughQuality returns the quality beyond which the aim "cost" does not pay for more.
func (b *bounds) enoughQuality() int64 {
	if b.reference.quality <= 0 {
		return maxQuality
	}
	return divideUp(saturate.Mul(b.reference.quality, enoughShare), shareUnit)
}

// rankByEnoughQuality implements the aim "cost". It sorts by quality, highest first. Qualities
// that are enough count as equal, and the lowest cost comes first.
func rankByEnoughQuality(s *selection, _ *policy.Rule, evaluations []*evaluation) {
	enough := s.bounds.enoughQuality()
	slices.SortStableFunc(evaluations, func(a, b *evaluation) int {
		return cmp.Or(cmp.Compare(min(b.quality, enough), min(a.quality, enough)), compareCost(a, b), compareQuality(a, b))
	})
}

// appendEnoughReason appends why the aim "cost" prefers a candidate.
func (s *selection) appendEnoughReason(e *evaluation) {
	if e.quality < s.bounds.enoughQuality() || s.bounds.reference.quality <= 0 {
		s.appendQualityReason(e)
		return
	}
	s.appendText("is the cheapest with at least ")
	s.appendThousandths(enoughShare)
	s.appendText(" of the quality of ", s.bounds.reference.model, ",")
}

// qualityWeight is how much quality counts in the aim "balanced": losing 1 % of the
// baseline's quality must save at least 4 % of its cost.
const qualityWeight = 4

// rankByShares implements the aim "balanced". It sorts by an integer score,
//
//	score = 4 * quality - cost
//
// where quality and cost are in thousandths of the reference's. A candidate without a price
// counts as the most expensive one, and at least as expensive as the reference.
func rankByShares(s *selection, _ *policy.Rule, evaluations []*evaluation) {
	of, highest := &s.bounds.reference, int64(shareUnit)
	for _, e := range evaluations {
		if e.hasPrice {
			highest = max(highest, toThousandths(e.rankedCost, of.cost))
		}
	}
	for _, e := range evaluations {
		cost := highest
		if e.hasPrice {
			cost = toThousandths(e.rankedCost, of.cost)
		}
		e.score = saturate.Sub(saturate.Mul(qualityWeight, toThousandths(e.quality, of.quality)), cost)
	}
	slices.SortStableFunc(evaluations, func(a, b *evaluation) int {
		return cmp.Or(cmp.Compare(b.score, a.score), compareCost(a, b))
	})
}
