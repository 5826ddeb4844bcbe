package decide

import (
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// effortFactor is what a reasoning effort changes, in thousandths of the values for a request
// without an effort.
type effortFactor struct {
	effort string
	// quality is the median of LiveBench's overall scores in the catalog, relative to the
	// effort medium of the same model. A test compares it with the catalog.
	quality int64
	// output is the length of the response, including its reasoning. No source has it by
	// effort. Each step doubles it, like the thinking budgets that the adapters send.
	output int64
}

// effortFactors has one entry per effort. For max the catalog has no score, so it has the
// quality of xhigh.
var effortFactors = [...]effortFactor{
	{"none", 624, 250}, {"minimal", 653, 500}, {"low", 889, 500}, {"medium", 1000, 1000},
	{"high", 1041, 2000}, {"xhigh", 1158, 4000}, {"max", 1158, 8000},
}

func findEffortFactor(effort string) effortFactor {
	for i := range effortFactors {
		if effortFactors[i].effort == effort {
			return effortFactors[i]
		}
	}
	return effortFactor{effort, shareUnit, shareUnit}
}

// maxQuality is the highest quality, in thousandths.
const maxQuality = 1000

// qualityWithEffort returns the expected quality of a model with a reasoning effort.
func qualityWithEffort(quality int64, effort string) int64 {
	if effort == "" || quality <= 0 || quality > maxQuality {
		return quality
	}
	return min(quality*findEffortFactor(effort).quality/shareUnit, maxQuality)
}

// outputWithEffort returns the expected output tokens with a reasoning effort. The client's
// output limit also bounds the reasoning.
func outputWithEffort(q *Question, tokens int64, effort string) int64 {
	if effort == "" {
		return tokens
	}
	tokens = clampTokens(tokens) * findEffortFactor(effort).output / shareUnit
	if q.MaxOutputTokens > 0 {
		return min(tokens, q.MaxOutputTokens)
	}
	return tokens
}

// effortOf returns the effort of a candidate. A client's own effort takes precedence, so the
// candidate has none then.
func (s *selection) effortOf(ref *policy.EndpointRef) string {
	if s.question.OwnEffort {
		return ""
	}
	return ref.Effort
}

// findEffortObstacle returns an obstacle if the endpoint does not take the effort.
func findEffortObstacle(m *policy.Model, endpoint *policy.Endpoint, effort string) obstacle {
	if m.EndpointTakesEffort(endpoint, effort) {
		return obstacle{}
	}
	return obstacle{code: MissingCapability, text: "does not take the reasoning effort " + effort, need: catalog.Reasoning}
}

// effortError is the error for a request that names a model with an effort that the model does
// not have.
func effortError(q *Question, m *policy.Model, effort string) error {
	message := "model " + m.ID + " does not take the reasoning effort " + truncateName(effort)
	if len(m.Efforts) == 0 {
		message = "model " + m.ID + " has no reasoning effort"
	}
	return apperr.New(apperr.UnsupportedParameter, message).With("param", "model").
		With("requested_model", truncateName(q.Model)).With("efforts", append([]string{}, m.Efforts...))
}
