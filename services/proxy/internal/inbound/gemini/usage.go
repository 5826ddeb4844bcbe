package gemini

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/usagereport"
)

// writeUsage writes usageMetadata for the usage of a chat response. Google's prompt count
// includes cached tokens, and its candidates count does not include thoughts.
func writeUsage(w *jsonWriter, usage jsontext.Value) {
	if !isObject(usage) {
		return
	}
	count := func(path ...string) int64 {
		n, _ := jsonscan.ParseInteger(jsonscan.Member(usage, path...))
		return n
	}
	prompt, completion := count("prompt_tokens"), count("completion_tokens")
	cached := min(count("prompt_tokens_details", "cached_tokens"), prompt)
	thoughts := min(count("completion_tokens_details", "reasoning_tokens"), completion)
	w.key("usageMetadata").open('{')
	w.key("promptTokenCount").number(prompt)
	w.key("candidatesTokenCount").number(completion - thoughts)
	if thoughts > 0 {
		w.key("thoughtsTokenCount").number(thoughts)
	}
	if cached > 0 {
		w.key("cachedContentTokenCount").number(cached)
	}
	w.key("totalTokenCount").number(prompt + completion)
	w.close("}")
}

// usageResponse returns the counts in buckets that do not overlap. textBytes is the length of
// the output.
func usageResponse(g *usagereport.Google, textBytes int, searchCount int64) normalize.Response {
	unpriced := slices.Clone(g.Unpriced)
	if searchCount > 0 {
		unpriced.Add(usagereport.SearchTool)
	}
	r := normalize.Response{Usage: g.Buckets(), Unpriced: unpriced}
	if g.HasTotal {
		r.UsageDiscrepancy = g.Total - g.Input() - g.Output()
	}
	// The first events of a stream have the total of the prompt alone.
	r.OutputUnknown = !g.HasOutput && (!g.HasTotal || textBytes > 0 && g.Total <= g.Input())
	return r
}
