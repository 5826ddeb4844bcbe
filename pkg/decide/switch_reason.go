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
	if chosen.candidate.isAt(s.session.Last) {
		s.appendReasonToStay(chosen)
		return
	}
	for _, e := range s.ranked {
		if e.candidate.isAt(s.session.Last) && e.hasSessionCost && e.isEligible() && e.rankedCost > chosen.rankedCost {
			s.appendText("; it costs about ")
			s.appendEstimate(saturate.Sub(e.rankedCost, chosen.rankedCost))
			s.appendText(" USD less than ")
			s.appendCandidate(e)
			s.appendText(", which served the last turn")
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
	s.appendText("; ")
	s.appendCandidate(cheapest)
	s.appendText(" is cheaper for this request alone, but costs about ")
	s.appendEstimate(saturate.Sub(cheapest.rankedCost, chosen.rankedCost))
	s.appendText(" USD more over the session")
}

// appendEstimate appends an amount in USD. It leaves out what is less than a millionth of a
// dollar, because the amount is an estimate.
func (s *selection) appendEstimate(nano int64) {
	const nanoPerMicro = 1000
	s.text = catalog.AppendUSD(s.text, nano-nano%nanoPerMicro)
}
