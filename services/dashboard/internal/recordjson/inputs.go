package recordjson

import (
	"strconv"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// inputsJSON holds the inputs of the decision other than the features.
type inputsJSON struct {
	Needs           []string          `json:"needs"`
	InputTokens     int64             `json:"input_tokens"`
	MaxOutputTokens *int64            `json:"max_output_tokens"`
	Tags            []string          `json:"tags"`
	Models          []string          `json:"models"`
	MaySwapModel    bool              `json:"may_swap_model"`
	BaselineModel   *string           `json:"baseline_model"`
	At              *string           `json:"at"`
	BudgetUsed      *int64            `json:"budget_used"`
	Metadata        map[string]string `json:"metadata"`
	Sticky          *stickyJSON       `json:"sticky"`
	Seed            string            `json:"seed"`
	Predictor       *string           `json:"predictor"`
	Qualities       map[string]int64  `json:"qualities"`
	NativeProtocol  *string           `json:"native_protocol"`
	NativeOnly      []string          `json:"native_only"`
	Issuer          *string           `json:"issuer"`
}

// stickyJSON is the model and provider that served the same conversation before.
type stickyJSON struct {
	Model    string `json:"model"`
	Provider string `json:"provider"`
}

func toInputsJSON(in *record.DecisionInputs) *inputsJSON {
	if in == nil {
		return nil
	}
	out := &inputsJSON{
		Needs: jsonvalue.OrEmpty(in.Needs), InputTokens: in.InputTokens, MaxOutputTokens: jsonvalue.NullIfZero(in.MaxOutputTokens),
		Tags: jsonvalue.OrEmpty(in.Tags), Models: jsonvalue.OrEmpty(in.Models), MaySwapModel: in.MaySwapModel,
		BaselineModel: jsonvalue.NullIfZero(in.BaselineModel), BudgetUsed: in.BudgetUsed, Metadata: jsonvalue.OrEmptyMap(in.Metadata),
		Seed: strconv.FormatUint(in.Seed, 10), Predictor: jsonvalue.NullIfZero(in.Predictor), Qualities: jsonvalue.OrEmptyMap(in.Qualities),
		NativeProtocol: jsonvalue.NullIfZero(in.NativeProtocol), NativeOnly: jsonvalue.OrEmpty(in.NativeOnly),
		Issuer: jsonvalue.NullIfZero(in.Issuer),
	}
	if in.At != 0 {
		at := jsonvalue.FormatTime(time.Unix(in.At, 0).UTC())
		out.At = &at
	}
	if in.StickyModel != "" {
		out.Sticky = &stickyJSON{in.StickyModel, in.StickyProvider}
	}
	return out
}
