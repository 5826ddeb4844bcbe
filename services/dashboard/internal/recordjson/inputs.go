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
	MaxCostNanoUSD  *int64            `json:"max_cost_nano_usd"`
	OwnEffort       bool              `json:"own_effort"`
	Session         *sessionStateJSON `json:"session"`
}

// sessionStateJSON is what was known of the session when the request arrived.
type sessionStateJSON struct {
	LastModel    *string      `json:"last_model"`
	LastProvider *string      `json:"last_provider"`
	LastAt       *string      `json:"last_at"`
	Turns        int64        `json:"turns"`
	ToolLoop     bool         `json:"tool_loop"`
	SideCall     bool         `json:"side_call"`
	MarksCache   bool         `json:"marks_cache"`
	AddedTokens  int64        `json:"added_tokens"`
	OutputTokens int64        `json:"output_tokens"`
	Cached       []cachedJSON `json:"cached"`
}

// cachedJSON is the start of the conversation that a provider had cached.
type cachedJSON struct {
	Model     string `json:"model"`
	Provider  string `json:"provider"`
	Tokens    int64  `json:"tokens"`
	ExpiresAt string `json:"expires_at"`
}

func toSessionStateJSON(s *record.SessionState) *sessionStateJSON {
	if s == nil {
		return nil
	}
	return &sessionStateJSON{
		LastModel: jsonvalue.NullIfZero(s.LastModel), LastProvider: jsonvalue.NullIfZero(s.LastProvider), LastAt: formatUnix(s.LastAt),
		Turns: s.Turns, ToolLoop: s.ToolLoop, SideCall: s.SideCall, MarksCache: s.MarksCache, AddedTokens: s.AddedTokens, OutputTokens: s.OutputTokens,
		Cached: jsonvalue.ConvertAll(s.Cached, func(c record.CachedPrefix) cachedJSON {
			return cachedJSON{Model: c.Model, Provider: c.Provider, Tokens: c.Tokens, ExpiresAt: jsonvalue.FormatTime(time.Unix(c.Expires, 0).UTC())}
		}),
	}
}

// formatUnix formats a time in Unix seconds. It returns nil for 0.
func formatUnix(seconds int64) *string {
	if seconds == 0 {
		return nil
	}
	at := jsonvalue.FormatTime(time.Unix(seconds, 0).UTC())
	return &at
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
		Issuer: jsonvalue.NullIfZero(in.Issuer), At: formatUnix(in.At), Session: toSessionStateJSON(in.Session),
		MaxCostNanoUSD: in.MaxCost, OwnEffort: in.OwnEffort,
	}
	if in.StickyModel != "" {
		out.Sticky = &stickyJSON{in.StickyModel, in.StickyProvider}
	}
	return out
}
