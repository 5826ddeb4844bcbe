package codec

import (
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

func attemptsFromProto(all []*recordv1.Attempt) []record.Attempt {
	var out []record.Attempt
	for _, a := range firstItems(all, maxListItems) {
		basis := bases[a.GetCostBasis()]
		out = append(out, record.Attempt{
			Provider: limitText(a.GetProvider()), Model: limitText(a.GetModel()), Effort: limitText(a.GetEffort()), Status: a.GetStatus(), Code: limitText(a.GetCode()),
			Started: a.GetStartedUs(), FirstToken: a.GetFirstTokenUs(), Ended: a.GetEndedUs(), Tokens: optionalTokensFromProto(a.GetTokens()),
			Cost: a.CostNanoUsd, Costs: costsFromProto(a.GetCosts()), Price: priceFromProto(a.GetPrice()), CostBasis: basis,
			UpstreamRequestID: limitText(a.GetUpstreamRequestId()), DroppedParams: limitTexts(a.GetDroppedParams()),
			UsageDifference: a.GetUsageDifference(), ReportedCost: a.ReportedNanoUsd, Unpriced: limitTexts(a.GetUnpriced()),
		})
	}
	return out
}

func attemptsToProto(all []record.Attempt) []*recordv1.Attempt {
	var out []*recordv1.Attempt
	for _, a := range all {
		out = append(out, &recordv1.Attempt{
			Provider: toValidUTF8(a.Provider), Model: toValidUTF8(a.Model), Effort: toValidUTF8(a.Effort), Status: a.Status, Code: toValidUTF8(a.Code),
			StartedUs: a.Started, FirstTokenUs: a.FirstToken, EndedUs: a.Ended, Tokens: optionalTokensToProto(a.Tokens),
			CostNanoUsd: a.Cost, Costs: costsToProto(a.Costs), Price: priceToProto(a.Price), CostBasis: numberOf(bases, a.CostBasis),
			UpstreamRequestId: toValidUTF8(a.UpstreamRequestID), DroppedParams: a.DroppedParams,
			UsageDifference: a.UsageDifference, ReportedNanoUsd: a.ReportedCost, Unpriced: a.Unpriced,
		})
	}
	return out
}

func limitTexts(all []string) []string {
	var out []string
	for _, s := range firstItems(all, maxListItems) {
		out = append(out, limitText(s))
	}
	return out
}

func optionalTokensFromProto(t *recordv1.Tokens) *record.Tokens {
	if t == nil {
		return nil
	}
	used := tokensFromProto(t)
	return &used
}

func optionalTokensToProto(t *record.Tokens) *recordv1.Tokens {
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
		Output: p.GetOutput(), Effective: limitText(p.GetEffective()),
	}
}

func priceToProto(p *record.Price) *recordv1.Price {
	if p == nil {
		return nil
	}
	return &recordv1.Price{
		Input: p.Input, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite, CacheWrite_1H: p.CacheWrite1h,
		Output: p.Output, Effective: toValidUTF8(p.Effective),
	}
}
