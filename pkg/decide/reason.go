package decide

import (
	"bytes"
	"strconv"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

func (s *selection) appendText(parts ...string) {
	text := s.text
	for _, part := range parts {
		text = append(text, part...)
	}
	s.text = text
}

func (s *selection) appendThousandths(n int64) { s.text = formatThousandths(s.text, n) }

// formatThousandths appends thousandths as a decimal number, such as 0.75.
func formatThousandths(dst []byte, n int64) []byte {
	dst = append(strconv.AppendInt(dst, n/1000, 10), '.')
	part, least := n%1000, int64(100)
	if part < 0 {
		dst, part, least = append(dst, '-'), -part, 10
	}
	for ; part < least && least > 1; least /= 10 {
		dst = append(dst, '0')
	}
	dst = strconv.AppendInt(dst, part, 10)
	return bytes.TrimRight(bytes.TrimRight(dst, "0"), ".")
}

func (s *selection) appendCostReason(e *evaluation) {
	if !e.hasPrice {
		s.appendText("comes first because no price is known for any")
		return
	}
	if e.hasSessionCost {
		text := append(s.text, "is the cheapest for the expected rest of the session, at about "...)
		s.text = append(appendEstimate(text, e.rankedCost), " USD,"...)
		return
	}
	s.appendText("is the cheapest, at about ")
	s.text = catalog.AppendUSD(s.text, e.predictedCost)
	s.appendText(" USD,")
}

func (s *selection) appendQualityReason(e *evaluation) {
	s.appendText("has the best quality, ")
	s.appendThousandths(e.quality)
	s.appendText(",")
}

func (s *selection) appendLatencyReason(e *evaluation) {
	if e.latency == 0 {
		s.appendText("is assumed to be the fastest")
		return
	}
	s.appendText("is the fastest, with about ")
	s.text = strconv.AppendInt(s.text, e.latency/1000, 10)
	s.appendText(" ms to the first token,")
}

// appendCandidate appends a candidate as "model at provider", or "model#effort at provider".
func (s *selection) appendCandidate(e *evaluation) {
	s.text = appendName(s.text, &e.candidate)
}

// buildReason explains the plan in one sentence. Reason.Rule is the rule that chose the
// plan, or the rule that excluded the candidate that would otherwise be first.
func (s *selection) buildReason(unrestricted *evaluation) Reason {
	c, chosen := &s.choice, s.planned[0]
	r := Reason{Rule: c.ruleLabel}
	if d := unrestricted.unmetDemand; d != nil && d.rule != "" && !c.isConditional() {
		r.Rule = d.rule
	}
	if c.isConditional() {
		s.appendText("Rule ", c.ruleLabel, " applies because ")
		s.appendMetConditions()
		s.appendText(": ")
	}
	r.Code = s.appendChoiceReason(chosen)
	s.appendCaveat(chosen)
	r.Text = string(s.text)
	return r
}

// appendChoiceReason appends why the chosen candidate is first and returns the code
// of that reason.
func (s *selection) appendChoiceReason(chosen *evaluation) string {
	switch c := &s.choice; {
	case s.isChosenByLoop(chosen):
		s.appendLoopReason(chosen)
		return ReasonToolLoop
	case chosen.isFallback:
		s.appendCandidate(chosen)
		s.appendText(" is used as a fallback because no candidate of ", c.name, " is available")
		return ReasonFallback
	case c.explicit:
		s.appendText("The request names ", policy.JoinEffort(c.name, chosen.candidate.Effort), "; ", chosen.candidate.Provider, " serves it")
		return ReasonExplicit
	case c.rule.Target != "":
		s.appendCandidate(chosen)
		s.appendText(" is the rule's target")
		return ReasonTarget
	case chosen == s.movedByAffinity:
		s.appendCandidate(chosen)
		s.appendText(" served this conversation before and may have it cached")
		return ReasonSticky
	}
	return s.appendStrategyReason(chosen)
}

// appendStrategyReason appends why the strategy or the aim prefers the chosen candidate, and
// whether the candidate reaches the rule's bounds. It returns the code of the reason.
func (s *selection) appendStrategyReason(chosen *evaluation) string {
	order, b := orderFor(s.choice.rule), &s.bounds
	if b.isSet() && !b.isReachedBy(chosen) {
		s.appendText("No eligible candidate of ", s.choice.name, " ")
		s.appendBounds("reaches", "costs")
		s.appendText("; ")
		s.appendCandidate(chosen)
		s.appendClosest(chosen)
		return order.reason
	}
	s.appendCandidate(chosen)
	s.appendText(" ")
	if order.reason == ReasonOrdered && !b.isSet() {
		s.appendText("is the first eligible candidate of ", s.choice.name)
		return order.reason
	}
	order.appendReason(s, chosen)
	s.appendText(" of the candidates of ", s.choice.name)
	if b.isSet() {
		s.appendText(" that ")
		s.appendBounds("reach", "cost")
	}
	if order.reason == ReasonCheapest || order.reason == ReasonAimQuality {
		s.appendSwitchReason(chosen)
	}
	return order.reason
}

// appendCaveat ends the sentence. Before the end it adds why a candidate is used
// although it is down, or why a preferred candidate is not the first choice.
func (s *selection) appendCaveat(chosen *evaluation) {
	preferred := s.ranked[0]
	switch {
	case chosen.heldByAffinity:
		s.appendText(", although it is down (", chosen.formatDownReason(), "): the route's affinity does not yield to that state.")
	case chosen.downReason != "":
		s.appendText(", although it is down (", chosen.formatDownReason(), "): no other candidate is available.")
	case s.isChosenByLoop(chosen) && s.servedLast(chosen) && s.firstWithoutLoop != nil && s.firstWithoutLoop != chosen:
		s.appendText("; otherwise ")
		s.appendCandidate(s.firstWithoutLoop)
		s.appendText(" would be first.")
	case chosen == s.movedByAffinity && len(s.planned) > 1:
		s.appendText("; otherwise ")
		s.appendCandidate(s.planned[1])
		s.appendText(" would be first.")
	case preferred != chosen:
		_, why := preferred.exclusion()
		s.appendText("; ")
		s.appendCandidate(preferred)
		s.appendText(" was preferred but excluded: ", why, ".")
	default:
		s.appendText(".")
	}
}
