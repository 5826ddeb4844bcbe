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
		output := outputWithEffort(&s.question, predictedOutput(&s.question), e.candidate.Effort)
		e.predictedCost = price.CostOf(&catalog.Usage{Input: s.question.InputTokens, Output: output})
		e.rankedCost = e.predictedCost
		return
	}
	e.hasSessionCost = true
	cache := e.model.EndpointCache(endpoint)
	cached = min(cached, s.forecast.input)
	caches := cached > 0 || s.forecast.input >= catalog.MinCachedTokens && cache.Caches(s.session.MarksCache)
	e.predictedCost = s.requestCost(price, cached, caches, e.candidate.Effort)
	if len(prices) > 1 {
		price = priceAt(prices, s.forecast.middle(s.question.At))
	}
	further := s.furtherTurnCost(price, caches, cache.TTLSeconds, e.candidate.Effort)
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

// requestCost returns the expected cost of this request of a session. What the candidate has
// cached costs a cache read.
func (s *selection) requestCost(price *catalog.Price, cached int64, caches bool, effort string) int64 {
	f := &s.forecast
	return turnCost(price, cached, f.input-cached, outputWithEffort(&s.question, f.output, effort), caches)
}

// furtherTurnCost returns the expected cost of one further turn of average length, if the
// candidate serves the rest of the session. A turn after a pause that is longer than the
// lifetime of the cache pays for its whole prompt again.
func (s *selection) furtherTurnCost(price *catalog.Price, caches bool, ttl int64, effort string) int64 {
	f := &s.forecast
	read, added := f.input+f.added*(f.turns-1)/2, f.added
	switch {
	case !caches:
		read, added = 0, read+added
	case f.pause > ttl:
		expired := read / f.pauseEvery
		read, added = read-expired, added+expired
	}
	return turnCost(price, read, added, outputWithEffort(&s.question, f.laterOutput, effort), caches)
}

// turnCost returns the cost of a turn. A provider that caches charges tokens that it has not
// cached yet as cache writes.
func turnCost(price *catalog.Price, read, added, output int64, caches bool) int64 {
	u := catalog.Usage{CacheRead: read, Output: output}
	if caches {
		u.CacheWrite = added
	} else {
		u.Input = added
	}
	return price.CostOf(&u)
}

// cachedTokens returns how many tokens of the session the candidate has cached.
func (s *selection) cachedTokens(candidate *Candidate) int64 {
	for i := range s.session.Cached {
		if c := &s.session.Cached[i]; c.Expires > s.forecast.now && c.Candidate.isAt(candidate) {
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
