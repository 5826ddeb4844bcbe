package decide

import (
	"cmp"
	"slices"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/saturate"
)

// bounds are what a rule wants of its candidates: min_quality, and the quality or the cost
// that its aim derives from the reference. A candidate that misses them serves only if no
// other candidate can.
type bounds struct {
	aim *policy.Aim
	// minQuality is in thousandths. 0 means no bound. isAimed means that the aim set it.
	minQuality int64
	isAimed    bool
	// maxCost is in nano-USD. It bounds rankedCost.
	maxCost OptionalInt
	// reference is what the aim compares with. It is empty without an aim.
	reference reference
}

func (s *selection) setBounds(r *policy.Rule) {
	s.bounds = bounds{aim: r.Aim, minQuality: r.MinQuality}
	if r.Aim == nil {
		return
	}
	b := &s.bounds
	b.reference = s.findReference()
	switch b.aim.Kind {
	case policy.AimQuality:
		if aimed := divideUp(saturate.Mul(b.reference.quality, b.aim.Share), shareUnit); aimed > b.minQuality {
			b.minQuality, b.isAimed = aimed, true
		}
	case policy.AimCost:
		// Without a reference no candidate is known to be cheap enough.
		b.maxCost = KnownInt(saturate.MulDiv(b.reference.cost, b.aim.Share, shareUnit))
	}
}

// shareUnit is the denominator of shares and qualities.
const shareUnit = 1000

func divideUp(n, by int64) int64 { return saturate.Add(n, by-1) / by }

func (b *bounds) isSet() bool { return b.minQuality > 0 || b.maxCost.Known }

func (b *bounds) isReachedBy(e *evaluation) bool { return b.hasQuality(e) && b.hasCost(e) }

func (b *bounds) hasQuality(e *evaluation) bool { return e.quality >= b.minQuality }

func (b *bounds) hasCost(e *evaluation) bool {
	return !b.maxCost.Known || e.hasPrice && e.rankedCost <= b.maxCost.Value
}

// splitByBounds separates the evaluations that reach the bounds from the others. It sorts the
// others by how close they come: those with the quality by cost, then the rest by quality.
// above reuses the memory of evaluations, and below is appended to belowBuffer.
func (s *selection) splitByBounds(evaluations, belowBuffer []*evaluation) (above, below []*evaluation) {
	above, below = evaluations[:0], belowBuffer
	for _, e := range evaluations {
		if s.bounds.isReachedBy(e) {
			above = append(above, e)
		} else {
			e.bounds = &s.bounds
			below = append(below, e)
		}
	}
	slices.SortStableFunc(below, s.bounds.compareMisses)
	return above, below
}

func (b *bounds) compareMisses(x, y *evaluation) int {
	switch xOK, yOK := b.hasQuality(x), b.hasQuality(y); {
	case xOK && yOK:
		return cmp.Or(compareCost(x, y), compareQuality(x, y))
	case xOK:
		return -1
	case yOK:
		return 1
	}
	return cmp.Or(compareQuality(x, y), compareCost(x, y))
}

// explainMiss returns the code and the text of a verdict about a candidate that misses the
// bounds.
func (b *bounds) explainMiss(e *evaluation) (code, text string) {
	quality := "its quality of " + string(formatThousandths(nil, e.quality)) + " is below "
	switch {
	case b.hasQuality(e) && !e.hasPrice:
		return AboveCost, "its price is unknown, so the rule's aim cannot compare its cost"
	case b.hasQuality(e):
		return AboveCost, "its cost of about " + catalog.FormatUSD(e.rankedCost) + " USD is above " + catalog.FormatUSD(b.maxCost.Value) + " USD, which is " + b.describeAim()
	case b.isAimed:
		return BelowQuality, quality + string(formatThousandths(nil, b.minQuality)) + ", which is " + b.describeAim()
	}
	return BelowQuality, quality + "the rule's min_quality"
}

// describeAim returns a text such as "0.97 of the quality of large".
func (b *bounds) describeAim() string {
	text := "the " + string(b.aim.Kind) + " of " + b.reference.model
	if b.aim.Share == shareUnit {
		return text
	}
	return string(formatThousandths(nil, b.aim.Share)) + " of " + text
}

// appendBounds appends what the candidates reach and cost. The verbs are in the form that the
// sentence needs.
func (s *selection) appendBounds(reach, cost string) {
	b := &s.bounds
	if b.minQuality > 0 {
		s.appendText(reach, " a quality of ")
		s.appendThousandths(b.minQuality)
		if b.isAimed {
			s.appendText(" (", b.describeAim(), ")")
		}
	}
	if !b.maxCost.Known {
		return
	}
	if b.minQuality > 0 {
		s.appendText(" and ")
	}
	s.appendText(cost, " at most ")
	s.text = appendEstimate(s.text, b.maxCost.Value)
	s.appendText(" USD (", b.describeAim(), ")")
}

// appendClosest appends how close the best candidate comes to bounds that none reaches.
func (s *selection) appendClosest(chosen *evaluation) {
	if !s.bounds.hasQuality(chosen) {
		s.appendText(" comes closest, with ")
		s.appendThousandths(chosen.quality)
		return
	}
	s.appendText(" is the cheapest")
	if chosen.hasPrice {
		s.appendText(", at about ")
		s.text = appendEstimate(s.text, chosen.rankedCost)
		s.appendText(" USD")
	}
}
