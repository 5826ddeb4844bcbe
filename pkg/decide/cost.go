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
	prices := e.model.EndpointPrices(endpoint)
	price := priceAt(prices, s.question.At)
	if price == nil {
		return
	}
	e.hasPrice = true
	if s.session == nil {
		e.predictedCost = price.CostOf(&catalog.Usage{Input: s.question.InputTokens, Output: predictedOutput(&s.question)})
		e.rankedCost = e.predictedCost
		return
	}
	e.hasSessionCost = true
	cache := e.model.EndpointCache(endpoint)
	cached := min(s.cachedTokens(&e.candidate), s.forecast.input)
	caches := cached > 0 || s.forecast.input >= catalog.MinCachedTokens && cache.Caches(s.session.MarksCache)
	e.predictedCost = turnCost(price, cached, s.forecast.input-cached, s.forecast.output, caches)
	if len(prices) > 1 {
		price = priceAt(prices, s.forecast.middle(s.question.At))
	}
	read, added := s.forecast.furtherInput(caches, cache.TTLSeconds)
	further := turnCost(price, read, added, s.forecast.laterOutput, caches)
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

// turnCost returns the cost of a turn. A provider that caches charges tokens that it has not
// cached yet as cache writes.
func turnCost(price *catalog.Price, read, added, output int64, caches bool) int64 {
	input, write := added, int64(0)
	if caches {
		input, write = 0, added
	}
	return price.CostOfTokens(input, read, write, 0, output)
}

// cachedTokens returns how many tokens of the session the candidate has cached.
func (s *selection) cachedTokens(candidate *Candidate) int64 {
	prefixes := s.session.Cached
	for i := range prefixes {
		if c := &prefixes[i]; c.Candidate.equals(candidate) && c.Expires > s.forecast.now {
			return clampTokens(c.Tokens)
		}
	}
	return 0
}

// equals reports whether two candidates are the same. Most names of models differ in their
// length or at their end, so that few of them are compared completely.
func (c *Candidate) equals(other *Candidate) bool {
	end := len(c.Model) - 1
	return end == len(other.Model)-1 && (end < 0 || c.Model[end] == other.Model[end]) && c.Model == other.Model && c.Provider == other.Provider
}
