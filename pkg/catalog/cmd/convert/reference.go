package main

// reference is the part of the reference table that this command reads.
type reference struct {
	Models []row `json:"models"`
}

// row is one model at one provider. Amounts are pico-USD per token. Null means unknown.
type row struct {
	ID         string             `json:"id"`
	Provider   string             `json:"provider"`
	Upstream   string             `json:"upstream_model"`
	Family     string             `json:"family"`
	Aliases    []string           `json:"aliases"`
	Kind       string             `json:"kind"`
	Name       string             `json:"name"`
	Context    int64              `json:"context_window"`
	ContextWhy string             `json:"context_window_note"`
	MaxOutput  int64              `json:"max_output"`
	Modalities modalities         `json:"modalities"`
	Can        map[string]*bool   `json:"capabilities"`
	Efforts    map[string]*string `json:"reasoning_efforts"`
	Options    []reasoningOption  `json:"reasoning_options"`
	Quirks     quirks             `json:"wire_quirks"`
	Prices     prices             `json:"prices"`
	Released   string             `json:"released"`
	Knowledge  string             `json:"knowledge_cutoff"`
	Retires    string             `json:"deprecation_date"`
	Status     string             `json:"status"`
	Dimensions int64              `json:"dimensions"`
	MaxBatch   int                `json:"max_batch"`
	Quality    quality            `json:"quality"`
	Sources    struct {
		Prices map[string]string `json:"prices"`
	} `json:"sources"`
	Disagreements []disagreement `json:"disagreements"`
	Confidence    string         `json:"price_confidence"`
}

type modalities struct {
	Input  []string `json:"input"`
	Output []string `json:"output"`
}

type reasoningOption struct {
	Type   string   `json:"type"`
	Values []string `json:"values"`
	Min    *int64   `json:"min"`
	Max    *int64   `json:"max"`
}

type quirks struct {
	ThinkingFormat   string `json:"thinkingFormat"`
	ReasoningEffort  *bool  `json:"supportsReasoningEffort"`
	Adaptive         bool   `json:"forceAdaptiveThinking"`
	Temperature      *bool  `json:"supportsTemperature"`
	SystemInside     bool   `json:"supportsMidConvoSystemMessages"`
	DeveloperRole    *bool  `json:"supportsDeveloperRole"`
	StrictMode       *bool  `json:"supportsStrictMode"`
	ReplaysReasoning bool   `json:"requiresReasoningContentOnAssistantMessages"`
}

type prices struct {
	amounts
	Tiers []struct {
		Above int64 `json:"above_input_tokens"`
		amounts
	} `json:"tiers"`
	Scheduled []struct {
		From string `json:"effective_from"`
		amounts
	} `json:"scheduled"`
}

type amounts struct {
	Input        int64  `json:"input"`
	Output       int64  `json:"output"`
	CacheRead    *int64 `json:"cached_input"`
	CacheWrite   *int64 `json:"cache_write_5m"`
	CacheWrite1h int64  `json:"cache_write_1h"`
}

type quality struct {
	LiveBench map[string]map[string]float64 `json:"livebench_2026_01_08"`
	ArenaText *elo                          `json:"arena_text_elo_2026_04_19"`
	ArenaCode *elo                          `json:"arena_code_elo_2026_04_19"`
	ArenaOld  *elo                          `json:"arena_text_elo_2025_08"`
	Reported  []struct {
		Metric string  `json:"metric"`
		Value  float64 `json:"value"`
		Source string  `json:"source"`
	} `json:"reported"`
	Published []struct {
		Name   string  `json:"name"`
		Score  float64 `json:"score"`
		Source string  `json:"source"`
	} `json:"published"`
}

type elo struct {
	Elo float64 `json:"elo"`
}

type disagreement struct {
	Field  string           `json:"field"`
	Tokens map[string]int64 `json:"values"`
	Pico   map[string]int64 `json:"values_pico_usd_per_token"`
}

func isTrue(b *bool) bool  { return b != nil && *b }
func isFalse(b *bool) bool { return b != nil && !*b }
