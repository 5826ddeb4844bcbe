package decide

import (
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/saturate"
)

// MaxCostHeader is the request header in which a client limits the cost of a request. Errors
// name it.
const MaxCostHeader = "X-Signalbox-Max-Cost"

// HighestCost returns what one call costs at most at an endpoint, in nano-USD: the estimated
// input, all of it written to the cache if the provider caches it, and the longest response
// that the client and the endpoint allow. It is unknown without a price, and if nothing limits
// the response.
func HighestCost(m *policy.Model, endpoint *policy.Endpoint, q *Question) OptionalInt {
	price := priceAt(m.EndpointPrices(endpoint), q.At)
	output := longestOutput(m, endpoint, q)
	if price == nil || !output.Known {
		return OptionalInt{}
	}
	input := clampTokens(q.InputTokens)
	cost := price.CostOf(&catalog.Usage{Input: input, Output: output.Value})
	marked := q.Session != nil && q.Session.MarksCache
	if input >= catalog.MinCachedTokens && endpoint.Cache().Caches(marked) {
		cost = max(cost, price.CostOf(&catalog.Usage{CacheWrite: input, CacheWrite1h: input, Output: output.Value}))
	}
	return KnownInt(cost)
}

// longestOutput returns how many output tokens all choices of a response have at most.
func longestOutput(m *policy.Model, endpoint *policy.Endpoint, q *Question) OptionalInt {
	if q.Kind != catalog.Chat {
		return KnownInt(0)
	}
	longest := OptionalInt{}
	lower := func(n int64) {
		if !longest.Known || n < longest.Value {
			longest = KnownInt(n)
		}
	}
	if q.MaxOutputTokens > 0 {
		lower(clampTokens(q.MaxOutputTokens))
	}
	if n := m.EndpointMaxOutput(endpoint); n > 0 {
		lower(n)
	}
	if n := m.EndpointContext(endpoint); n > 0 {
		lower(max(n-clampTokens(q.InputTokens), 0))
	}
	longest.Value = saturate.Mul(longest.Value, max(q.Features.GetOrZero(choicesFeature), 1))
	return longest
}

// choicesFeature is the number of responses that the client wants, if it wants several.
const choicesFeature = "choices"

// findCostObstacle returns an obstacle if a candidate can cost more than the client allows.
func findCostObstacle(q *Question, e *evaluation, endpoint *policy.Endpoint) obstacle {
	highest := HighestCost(e.model, endpoint, q)
	switch {
	case !e.hasPrice:
		return obstacle{code: OverMaxCost, text: "its price is unknown, and the request has a maximum cost"}
	case !highest.Known:
		return obstacle{code: OverMaxCost, text: "nothing limits its response, so it can exceed the maximum cost of the request"}
	case highest.Value > q.MaxCost.Value:
		return obstacle{code: OverMaxCost, text: "it can cost up to " + catalog.FormatUSD(highest.Value) +
			" USD, but the request allows " + catalog.FormatUSD(q.MaxCost.Value) + " USD"}
	}
	return obstacle{}
}

// maxCostError is the error if the maximum cost of the request excludes every candidate that
// could serve it otherwise.
func maxCostError(q *Question, c *choice, evaluations []*evaluation) error {
	var cheapest *evaluation
	var lowest OptionalInt
	for _, e := range evaluations {
		endpoint, ok := e.model.EndpointAt(e.candidate.Provider)
		if code, _ := e.exclusion(); code != OverMaxCost || !ok {
			continue
		}
		if cost := HighestCost(e.model, endpoint, q); cost.Known && (!lowest.Known || cost.Value < lowest.Value) {
			cheapest, lowest = e, cost
		}
	}
	err := NewMaxCostError(c.name, q.MaxCost.Value)
	if cheapest == nil {
		return err
	}
	usd := catalog.FormatUSD(lowest.Value)
	err.Message += "; the cheapest, " + cheapest.candidate.Model + " at " + cheapest.candidate.Provider + ", can cost up to " + usd + " USD"
	return err.With("lowest_cost_usd", usd).With("model", cheapest.candidate.Model).With("provider", cheapest.candidate.Provider)
}

// NewMaxCostError returns the error for a request of which no candidate is cheap enough. name
// is the route or model that the client requested.
func NewMaxCostError(name string, limit int64) *apperr.Error {
	usd := catalog.FormatUSD(limit)
	return apperr.New(apperr.MaxCostExceeded, "no candidate of "+name+" is certain to cost at most "+usd+" USD, the limit in "+MaxCostHeader).
		With("max_cost_usd", usd).With("param", MaxCostHeader)
}
