package decide

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/saturate"
)

// isSideCall reports whether the request is a side call of its session.
func (s *selection) isSideCall() bool {
	return s.question.Session != nil && s.question.Session.SideCall
}

// servedLast reports whether the candidate served the last turn of the session.
func (s *selection) servedLast(e *evaluation) bool {
	return s.session != nil && s.session.Last != nil && s.session.Last.isAt(&e.candidate)
}

// ranksBySessionCost reports whether the strategy or the aim compares what a change of the candidate
// costs over the rest of the session.
func (s *selection) ranksBySessionCost() bool {
	if s.session == nil || s.session.Last == nil {
		return false
	}
	r := s.choice.rule
	if r.Aim != nil {
		return r.Aim.Kind != policy.AimCost
	}
	return r.Strategy == policy.Cheapest || r.Strategy == policy.Balanced
}

// appendSwitchReason appends what the session saves because it moves to another candidate, or
// because it does not move to one that is cheaper for this request alone.
func (s *selection) appendSwitchReason(chosen *evaluation) {
	if !chosen.hasSessionCost || s.session.Last == nil {
		return
	}
	if s.servedLast(chosen) {
		s.appendReasonToStay(chosen)
		return
	}
	for _, e := range s.ranked {
		if e.hasSessionCost && e.rankedCost > chosen.rankedCost && s.servedLast(e) && e.isEligible() {
			text := appendEstimate(append(s.text, "; it costs about "...), saturate.Sub(e.rankedCost, chosen.rankedCost))
			text = appendName(append(text, " USD less than "...), &e.candidate)
			s.text = append(text, ", which served the last turn"...)
			return
		}
	}
}

func (s *selection) appendReasonToStay(chosen *evaluation) {
	var cheapest *evaluation
	for _, e := range s.planned {
		if !e.isFallback && e.hasSessionCost && e.predictedCost < chosen.predictedCost && (cheapest == nil || e.predictedCost < cheapest.predictedCost) {
			cheapest = e
		}
	}
	if cheapest == nil {
		return
	}
	text := appendName(append(s.text, "; "...), &cheapest.candidate)
	text = append(text, " is cheaper for this request alone, but costs about "...)
	text = appendEstimate(text, saturate.Sub(cheapest.rankedCost, chosen.rankedCost))
	s.text = append(text, " USD more over the session"...)
}

// appendEstimate appends an amount in USD. It leaves out what is less than a millionth of a
// dollar, because the amount is an estimate.
func appendEstimate(text []byte, nano int64) []byte {
	return catalog.AppendMicroUSD(text, nano/nanoPerMicro)
}

const nanoPerMicro = 1000

// appendName appends a candidate as "model at provider", or "model#effort at provider".
func appendName(text []byte, c *Candidate) []byte {
	text = append(text, c.Model...)
	if c.Effort != "" {
		text = append(append(text, '#'), c.Effort...)
	}
	return append(append(text, " at "...), c.Provider...)
}
