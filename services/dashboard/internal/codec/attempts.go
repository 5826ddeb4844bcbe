package codec

import (
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

func attemptsFromProto(all []*recordv1.Attempt) []record.Attempt {
	var out []record.Attempt
	for _, a := range first(all, maxParts) {
		basis, _ := bases.name(a.GetCostBasis())
		out = append(out, record.Attempt{
			Provider: text(a.GetProvider()), Model: text(a.GetModel()), Status: a.GetStatus(), Code: text(a.GetCode()),
			Started: a.GetStartedUs(), First: a.GetFirstTokenUs(), End: a.GetEndedUs(), Tokens: usedFromProto(a.GetTokens()),
			Cost: a.CostNanoUsd, Costs: costsFromProto(a.GetCosts()), Price: priceFromProto(a.GetPrice()), CostBasis: basis,
			UpstreamRequestID: text(a.GetUpstreamRequestId()), Dropped: texts(a.GetDroppedParams()),
			UsageDifference: a.GetUsageDifference(), Reported: a.ReportedNanoUsd,
		})
	}
	return out
}

func attemptsToProto(all []record.Attempt) []*recordv1.Attempt {
	var out []*recordv1.Attempt
	for _, a := range all {
		out = append(out, &recordv1.Attempt{
			Provider: valid(a.Provider), Model: valid(a.Model), Status: a.Status, Code: valid(a.Code),
			StartedUs: a.Started, FirstTokenUs: a.First, EndedUs: a.End, Tokens: usedToProto(a.Tokens),
			CostNanoUsd: a.Cost, Costs: costsToProto(a.Costs), Price: priceToProto(a.Price), CostBasis: bases.value(a.CostBasis),
			UpstreamRequestId: valid(a.UpstreamRequestID), DroppedParams: a.Dropped,
			UsageDifference: a.UsageDifference, ReportedNanoUsd: a.Reported,
		})
	}
	return out
}

func texts(all []string) []string {
	var out []string
	for _, s := range first(all, maxParts) {
		out = append(out, text(s))
	}
	return out
}

func usedFromProto(t *recordv1.Tokens) *record.Tokens {
	if t == nil {
		return nil
	}
	used := tokensFromProto(t)
	return &used
}

func usedToProto(t *record.Tokens) *recordv1.Tokens {
	if t == nil {
		return nil
	}
	return tokensToProto(*t)
}

func costsFromProto(c *recordv1.Costs) *record.Costs {
	if c == nil {
		return nil
	}
	return &record.Costs{Input: c.GetInput(), CacheRead: c.GetCacheRead(), CacheWrite: c.GetCacheWrite(), Output: c.GetOutput()}
}

func costsToProto(c *record.Costs) *recordv1.Costs {
	if c == nil {
		return nil
	}
	return &recordv1.Costs{Input: c.Input, CacheRead: c.CacheRead, CacheWrite: c.CacheWrite, Output: c.Output}
}

func priceFromProto(p *recordv1.Price) *record.Price {
	if p == nil {
		return nil
	}
	return &record.Price{
		Input: p.GetInput(), CacheRead: p.GetCacheRead(), CacheWrite: p.GetCacheWrite(), CacheWrite1h: p.GetCacheWrite_1H(),
		Output: p.GetOutput(), Effective: text(p.GetEffective()),
	}
}

func priceToProto(p *record.Price) *recordv1.Price {
	if p == nil {
		return nil
	}
	return &recordv1.Price{
		Input: p.Input, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite, CacheWrite_1H: p.CacheWrite1h,
		Output: p.Output, Effective: valid(p.Effective),
	}
}
