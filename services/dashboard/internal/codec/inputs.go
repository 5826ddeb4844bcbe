package codec

import (
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

func inputsFromProto(in *recordv1.DecisionInputs) *record.Inputs {
	if in == nil {
		return nil
	}
	return &record.Inputs{
		Needs: texts(in.GetNeeds()), InputTokens: in.GetInputTokens(), MaxOutputTokens: in.GetMaxOutputTokens(),
		Tags: texts(in.GetTags()), Models: texts(in.GetModels()), MaySwapModel: in.GetMaySwapModel(),
		BaselineModel: text(in.GetBaselineModel()), At: in.GetAt(), BudgetUsed: in.BudgetUsed, Metadata: pairs(in.GetMetadata()),
		StickyModel: text(in.GetStickyModel()), StickyProvider: text(in.GetStickyProvider()), Seed: in.GetSeed(),
		Predictor: text(in.GetPredictor()), Qualities: featuresFromProto(in.GetQualities()),
	}
}

func inputsToProto(in *record.Inputs) *recordv1.DecisionInputs {
	if in == nil {
		return nil
	}
	return &recordv1.DecisionInputs{
		Needs: validAll(in.Needs), InputTokens: in.InputTokens, MaxOutputTokens: in.MaxOutputTokens,
		Tags: validAll(in.Tags), Models: validAll(in.Models), MaySwapModel: in.MaySwapModel,
		BaselineModel: valid(in.BaselineModel), At: in.At, BudgetUsed: in.BudgetUsed, Metadata: pairs(in.Metadata),
		StickyModel: valid(in.StickyModel), StickyProvider: valid(in.StickyProvider), Seed: in.Seed,
		Predictor: valid(in.Predictor), Qualities: featuresToProto(in.Qualities),
	}
}

// pairs are as many as a record needs, each cut.
func pairs(all map[string]string) map[string]string {
	if len(all) == 0 {
		return nil
	}
	out := map[string]string{}
	for name, v := range all {
		if len(out) < maxParts {
			out[text(valid(name))] = text(valid(v))
		}
	}
	return out
}

func validAll(all []string) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = valid(s)
	}
	return out
}
