package decide

import (
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/saturate"
)

// estimateCosts sets the costs of a candidate. Without a session the strategies rank by the
// cost of this request, otherwise by the cost of this request and the rest of the session.
func (s *selection) estimateCosts(e *evaluation, endpoint *policy.Endpoint) {
	cached := int64(0)
	if s.session != nil {
		cached = s.cachedTokens(&e.candidate)
	}
	s.estimateCostsWithCache(e, endpoint, cached)
}

// estimateCostsWithCache works like estimateCosts for a candidate that has cached tokens of
// the session.
func (s *selection) estimateCostsWithCache(e *evaluation, endpoint *policy.Endpoint, cached int64) {
	prices := e.model.EndpointPrices(endpoint)
	price := priceAt(prices, s.question.At)
	if price == nil {
		return
	}
	e.hasPrice = true
	if s.session == nil {
		e.outputTokens = outputWithEffort(&s.question, predictedOutput(&s.question, e.model.OutputLength), e.candidate.Effort)
		e.predictedCost = price.CostOf(&catalog.Usage{Input: s.question.InputTokens, Output: e.outputTokens})
		e.rankedCost = e.predictedCost
		return
	}
	e.hasSessionCost = true
	cache := endpoint.Cache()
	cached = min(cached, s.forecast.input)
	caches := cached > 0 || s.forecast.input >= catalog.MinCachedTokens && cache.Caches(s.session.MarksCache)
	output, laterOutput := s.forecast.output, s.forecast.laterOutput
	if effort := e.candidate.Effort; effort != "" {
		output, laterOutput = outputWithEffort(&s.question, output, effort), outputWithEffort(&s.question, laterOutput, effort)
	}
	input, write := splitInput(s.forecast.input-cached, caches)
	e.outputTokens = output
	e.predictedCost = price.CostOfTokens(input, cached, write, 0, output)
	if len(prices) > 1 {
		price = priceAt(prices, s.forecast.middle(s.question.At))
	}
	read, added := s.forecast.furtherInput(caches, cache.TTLSeconds)
	input, write = splitInput(added, caches)
	further := price.CostOfTokens(input, read, write, 0, laterOutput)
	e.rankedCost = saturate.Add(e.predictedCost, saturate.Mul(further, s.forecast.turns))
}

// priceAt returns the price in force, or the newest price if the time is unknown. It returns
// nil if there is no such price.
func priceAt(prices []catalog.Price, at time.Time) *catalog.Price {
	for i := len(prices) - 1; i >= 0; i-- {
		if at.IsZero() || !prices[i].Effective.After(at) {
			return &prices[i]
		}
	}
	return nil
}

// splitInput returns which tokens of a turn are charged as input and which as cache writes. A
// provider that caches charges tokens that it has not cached yet as cache writes.
func splitInput(added int64, caches bool) (input, write int64) {
	if caches {
		return 0, added
	}
	return added, 0
}

// cachedTokens returns how many tokens of the session the candidate has cached.
func (s *selection) cachedTokens(candidate *Candidate) int64 {
	prefixes := s.session.Cached
	for i := range prefixes {
		if c := &prefixes[i]; c.Candidate.isAt(candidate) && c.Expires > s.forecast.now {
			return clampTokens(c.Tokens)
		}
	}
	return 0
}

// mostCachedTokens returns the largest number of tokens of the session that any candidate has
// cached.
func (s *selection) mostCachedTokens() (tokens int64) {
	if s.session == nil {
		return 0
	}
	for i := range s.session.Cached {
		if c := &s.session.Cached[i]; c.Expires > s.forecast.now {
			tokens = max(tokens, clampTokens(c.Tokens))
		}
	}
	return tokens
}
