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
	price, ok := priceAt(prices, s.question.At)
	if !ok {
		return
	}
	e.hasPrice = true
	if s.session == nil {
		e.predictedCost = catalog.Cost(price, catalog.Usage{Input: s.question.InputTokens, Output: predictedOutput(&s.question)})
		e.rankedCost = e.predictedCost
		return
	}
	e.hasSessionCost = true
	caches, cache := false, e.model.EndpointCache(endpoint)
	e.predictedCost, caches = s.requestCost(e.candidate, price, cache)
	if len(prices) > 1 {
		price, _ = priceAt(prices, s.forecast.later)
	}
	further := saturate.MulDiv(s.furtherTurnCost(price, cache, caches), s.forecast.turns, 1)
	e.rankedCost = saturate.Add(e.predictedCost, further)
}

// priceAt returns the price in force, or the newest price if the time is unknown. It returns
// false if there is no such price.
func priceAt(prices []catalog.Price, at time.Time) (catalog.Price, bool) {
	if len(prices) == 0 {
		return catalog.Price{}, false
	}
	if at.IsZero() {
		return prices[len(prices)-1], true
	}
	return catalog.PriceInForce(prices, at)
}

// requestCost returns the expected cost of this request of a session, and whether the provider
// caches its prompt. What the candidate has cached costs a cache read.
func (s *selection) requestCost(candidate Candidate, price catalog.Price, cache catalog.Cache) (cost int64, caches bool) {
	f := &s.forecast
	cached := min(s.cachedTokens(candidate), f.input)
	caches = cached > 0 || cache.Caches(s.session.MarksCache) && f.input >= catalog.MinCachedTokens
	return catalog.Cost(price, turnUsage(cached, f.input-cached, f.output, caches)), caches
}

// furtherTurnCost returns the expected cost of one further turn of average length, if the
// candidate serves the rest of the session. A turn after a pause that is longer than the
// lifetime of the cache pays for its whole prompt again.
func (s *selection) furtherTurnCost(price catalog.Price, cache catalog.Cache, caches bool) int64 {
	f := &s.forecast
	read, added := f.input+f.added*(f.turns-1)/2, f.added
	switch {
	case !caches:
		read, added = 0, read+added
	case f.pause > cache.TTLSeconds:
		expired := read / f.pauseEvery
		read, added = read-expired, added+expired
	}
	return catalog.Cost(price, turnUsage(read, added, f.laterOutput, caches))
}

// turnUsage returns the usage of a turn. A provider that caches charges tokens that it has not
// cached yet as cache writes.
func turnUsage(read, added, output int64, caches bool) catalog.Usage {
	if caches {
		return catalog.Usage{CacheRead: read, CacheWrite: added, Output: output}
	}
	return catalog.Usage{CacheRead: read, Input: added, Output: output}
}

// cachedTokens returns how many tokens of the session the candidate has cached.
func (s *selection) cachedTokens(candidate Candidate) int64 {
	for i := range s.session.Cached {
		if c := &s.session.Cached[i]; c.Candidate == candidate && c.Expires > s.forecast.now {
			return clampTokens(c.Tokens)
		}
	}
	return 0
}
