package decide

import (
	"fmt"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// evaluation is the working state of one candidate. Each kind of exclusion has its
// own field, so that firstChoices can ignore some of them.
type evaluation struct {
	candidate     Candidate
	model         *policy.Model
	contextTokens int64
	// listIndex is the position of the list entry that names the candidate. The list
	// is the rule's candidates or, for a fallback, on_failure.
	listIndex  int
	isFallback bool
	// allowedByKey is false when the key's allow-list excludes the candidate.
	allowedByKey bool
	// unmetDemand is the first requirement of the route or of a rule that the
	// candidate does not meet, or nil.
	unmetDemand *demand
	// obstacle is the first need of the request that the model does not meet. Its
	// code is empty if the model meets all needs.
	obstacle obstacle
	// belowFloor excludes the candidate, because it misses the rule's bounds: min_quality
	// or the aim. It is false if on_failure also lists the candidate, or if no eligible
	// candidate reaches the bounds. buildPlan clears it if the plan would be empty.
	belowFloor bool
	// bounds are the bounds of the rule that the candidate misses, or nil.
	bounds *bounds
	// heldByAffinity keeps the candidate in the plan although it is down, because it
	// served the conversation last.
	heldByAffinity bool
	// downReason is why the candidate is down, or "".
	downReason    string
	hasPrice      bool
	predictedCost int64
	// outputTokens is the expected length of the response behind predictedCost.
	outputTokens int64
	// rankedCost is the cost that strategies compare: of the request and the rest of its
	// session, or of the request if it has no session.
	rankedCost       int64
	hasSessionCost   bool
	latency, quality int64
	// Only the strategy and the aim "balanced" set score.
	score int64
	// planPosition counts from 1; 0 means that the candidate is not in the plan.
	planPosition int
}

type obstacle struct {
	code string
	text string
	// need is the missing capability. It is empty for another obstacle.
	need catalog.Capability
}

// canServeUnrestricted reports whether the candidate could serve if every provider
// were healthy, and if neither the key nor a requirement nor a drain excluded any
// candidate.
func (e *evaluation) canServeUnrestricted() bool { return e.obstacle.code == "" && !e.belowFloor }

// isEligible reports whether the candidate could serve if every provider were
// healthy.
func (e *evaluation) isEligible() bool {
	return e.canServeUnrestricted() && e.allowedByKey && e.unmetDemand == nil && !e.isDrained()
}

// isDrained reports whether an operator has drained the candidate. Like a requirement, a
// drain is never ignored, not even as a last resort.
func (e *evaluation) isDrained() bool { return strings.HasPrefix(e.downReason, Drained) }

// isUsable reports whether the candidate is up, or affinity keeps it in the plan.
func (e *evaluation) isUsable() bool { return e.downReason == "" || e.heldByAffinity }

// isOverLimit reports whether the candidate is down because of a provider's limit,
// not because of a breaker.
func (e *evaluation) isOverLimit() bool { return strings.HasPrefix(e.downReason, OverLimit) }

func (s *selection) evaluate(e *evaluation, m *policy.Model, endpoint *policy.Endpoint, effort string) {
	q := &s.question
	e.candidate, e.model, e.contextTokens = Candidate{Model: m.ID, Provider: endpoint.Provider, Effort: effort}, m, m.EndpointContext(endpoint)
	if q.Issuer != "" {
		e.obstacle = findIssuerObstacle(q, endpoint)
	}
	if len(q.NativeOnly) > 0 && e.obstacle.code == "" {
		e.obstacle = s.findProtocolObstacle(endpoint)
	}
	if e.obstacle.code == "" {
		e.obstacle = findObstacle(q, m, endpoint)
	}
	if effort != "" && e.obstacle.code == "" {
		e.obstacle = findEffortObstacle(m, endpoint, effort)
	}
	s.estimateCosts(e, endpoint)
	if q.MaxCost.Known && e.obstacle.code == "" {
		e.obstacle = findCostObstacle(q, e, endpoint)
	}
	e.quality = qualityWithEffort(expectedQuality(q, m, s.choice.rule), effort)
	named := s.choice.explicit && !e.isFallback
	e.allowedByKey = named || s.isAllowed(e.candidate)
	if !named {
		e.unmetDemand = s.firstUnmetDemand(m, endpoint)
	}
	at := e.candidate
	at.Effort = ""
	e.downReason, e.latency = s.health.DownReason(at), s.health.Latency(at)
}

// firstUnmetDemand returns the first demand that the endpoint does not meet, or nil.
func (s *selection) firstUnmetDemand(m *policy.Model, endpoint *policy.Endpoint) *demand {
	if len(s.choice.demands) == 0 {
		return nil
	}
	var tags []string
	if provider, ok := s.policy.Provider(endpoint.Provider); ok {
		tags = provider.Tags
	}
	for i := range s.choice.demands {
		if d := &s.choice.demands[i]; !d.IsMetBy(m, endpoint, tags) {
			return d
		}
	}
	return nil
}

// expectedQuality returns the predicted quality of a model. Without a prediction it
// returns the quality that the policy assumes for the rule's topic, or else for the topic
// "general".
func expectedQuality(q *Question, m *policy.Model, r *policy.Rule) int64 {
	if n, ok := q.Qualities.Get(m.ID); ok {
		return n
	}
	if r != nil && r.Topic != "" {
		if n, ok := m.Quality[r.Topic]; ok {
			return n
		}
	}
	return m.Quality["general"]
}

// findObstacle returns the first need of the request that the model does not meet at
// the endpoint. It returns an empty obstacle if the model meets all needs.
func findObstacle(q *Question, m *policy.Model, endpoint *policy.Endpoint) obstacle {
	for _, need := range q.Needs {
		if !m.EndpointSupports(endpoint, need) {
			return obstacle{code: MissingCapability, text: "does not support " + string(need), need: need}
		}
	}
	if needed, contextTokens := requestedTokens(q), m.EndpointContext(endpoint); !fitsContext(q, contextTokens, needed) {
		return obstacle{code: ContextTooSmall, text: fmt.Sprintf("its context window has %d tokens, but the request needs %d", contextTokens, needed)}
	}
	return obstacle{}
}

// fitsContext reports whether the request fits the context window. It returns true
// if only the provider can decide this: for a model with an unknown window, and for
// embeddings, where the window applies to each input but the question has the sum.
func fitsContext(q *Question, contextTokens, needed int64) bool {
	return contextTokens == 0 || q.Kind == catalog.Embeddings || needed <= contextTokens
}

// maxTokens limits the token counts of a request, so that their sum cannot overflow.
const maxTokens = 1 << 40

func requestedTokens(q *Question) int64 {
	return clampTokens(q.InputTokens) + clampTokens(q.MaxOutputTokens)
}

func clampTokens(n int64) int64 { return min(max(n, 0), maxTokens) }

// isEvaluated reports whether the candidate was evaluated before. Comparing model
// pointers suffices, because a policy holds each model once.
func (s *selection) isEvaluated(m *policy.Model, provider, effort string) bool {
	for i := range s.models {
		if s.models[i] != m {
			continue
		}
		if c := &s.evaluations[i].candidate; c.Provider == provider && c.Effort == effort {
			return true
		}
	}
	return false
}
