package decide

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/pkg/policy"
)

// fillVerdict sets every field of the verdict.
func (e *evaluation) fillVerdict(v *Verdict) {
	v.Candidate, v.Latency, v.Quality, v.DownReason = e.candidate, e.latency, e.quality, e.downReason
	v.PredictedCost, v.SessionCost, v.OutputTokens = OptionalInt{}, OptionalInt{}, 0
	if e.hasPrice {
		v.PredictedCost, v.OutputTokens = KnownInt(e.predictedCost), e.outputTokens
		if e.hasSessionCost {
			v.SessionCost = KnownInt(e.rankedCost)
		}
	}
	switch e.planPosition {
	case 0:
		v.Code, v.Text = e.exclusion()
		return
	case 1:
		v.Code, v.Text = Chosen, "First choice"
	default:
		v.Code, v.Text = Fallback, "Fallback "+strconv.Itoa(e.planPosition-1)
	}
	if e.downReason != "" {
		v.Text += ", although it is down: " + e.formatDownReason()
	}
}

// exclusion returns the first reason that excludes a candidate, or two empty strings.
func (e *evaluation) exclusion() (code, text string) {
	switch {
	case !e.allowedByKey:
		return NotAllowed, "the key does not allow it"
	case e.unmetDemand != nil:
		return ExcludedByRule, e.unmetDemand.describe()
	case e.obstacle.code != "":
		return e.obstacle.code, e.obstacle.text
	case e.belowFloor:
		return e.bounds.explainMiss(e)
	case e.isDrained():
		return Drained, "an operator has drained it"
	case e.isOverLimit():
		return OverLimit, e.formatDownReason()
	case e.downReason != "":
		return Unhealthy, e.downReason
	}
	return "", ""
}

// formatDownReason returns why a candidate is down, without the prefix OverLimit.
func (e *evaluation) formatDownReason() string {
	if !e.isOverLimit() {
		return e.downReason
	}
	return cmp.Or(strings.TrimLeft(strings.TrimPrefix(e.downReason, OverLimit), ": "), "its provider has reached a limit")
}

func formatRequirement(r *policy.Requirement) string {
	switch r.Field {
	case policy.RequireContext:
		return fmt.Sprintf("a context of %d tokens", r.Min)
	case policy.RequireCapabilities:
		return strings.Join(r.In, " and ")
	}
	return r.Field + " " + strings.Join(r.In, " or ")
}
