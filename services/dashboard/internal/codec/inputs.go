package codec

import (
	"maps"
	"slices"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

func inputsFromProto(in *recordv1.DecisionInputs) *record.DecisionInputs {
	if in == nil {
		return nil
	}
	return &record.DecisionInputs{
		Needs: limitTexts(in.GetNeeds()), InputTokens: in.GetInputTokens(), MaxOutputTokens: in.GetMaxOutputTokens(),
		Tags: limitTexts(in.GetTags()), Models: limitTexts(in.GetModels()), MaySwapModel: in.GetMaySwapModel(),
		BaselineModel: limitText(in.GetBaselineModel()), At: in.GetAt(), BudgetUsed: in.BudgetUsed, Metadata: limitMetadata(in.GetMetadata()),
		StickyModel: limitText(in.GetStickyModel()), StickyProvider: limitText(in.GetStickyProvider()), Seed: in.GetSeed(),
		Predictor: limitText(in.GetPredictor()), Qualities: featuresFromProto(in.GetQualities()),
		NativeProtocol: limitText(in.GetNativeProtocol()), NativeOnly: limitTexts(in.GetNativeOnly()),
		Issuer: limitText(in.GetIssuer()), Session: sessionFromProto(in.GetSession()),
		MaxCost: in.MaxCostNanoUsd, OwnEffort: in.GetOwnEffort(),
	}
}

func inputsToProto(in *record.DecisionInputs) *recordv1.DecisionInputs {
	if in == nil {
		return nil
	}
	return &recordv1.DecisionInputs{
		Needs: toValidUTF8All(in.Needs), InputTokens: in.InputTokens, MaxOutputTokens: in.MaxOutputTokens,
		Tags: toValidUTF8All(in.Tags), Models: toValidUTF8All(in.Models), MaySwapModel: in.MaySwapModel,
		BaselineModel: toValidUTF8(in.BaselineModel), At: in.At, BudgetUsed: in.BudgetUsed, Metadata: limitMetadata(in.Metadata),
		StickyModel: toValidUTF8(in.StickyModel), StickyProvider: toValidUTF8(in.StickyProvider), Seed: in.Seed,
		Predictor: toValidUTF8(in.Predictor), Qualities: featuresToProto(in.Qualities),
		NativeProtocol: toValidUTF8(in.NativeProtocol), NativeOnly: toValidUTF8All(in.NativeOnly),
		Issuer: toValidUTF8(in.Issuer), Session: sessionToProto(in.Session),
		MaxCostNanoUsd: in.MaxCost, OwnEffort: in.OwnEffort,
	}
}

func limitMetadata(all map[string]string) map[string]string {
	if len(all) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(all)) // the same entries at every decoding
	out := map[string]string{}
	for _, name := range names[:min(len(names), maxListItems)] {
		out[limitText(toValidUTF8(name))] = limitText(toValidUTF8(all[name]))
	}
	return out
}

func toValidUTF8All(all []string) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = toValidUTF8(s)
	}
	return out
}
