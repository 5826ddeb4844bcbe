package gemini

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
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

// maxTokenCount is above the token count of any call. A usage with a larger or negative count
// is treated as not reported.
const maxTokenCount = 1 << 40

// tokenCounts is the usage that Google reports. prompt includes cached tokens, but not the
// results of Google's own tools, which are counted in toolPrompt.
type tokenCounts struct {
	prompt, toolPrompt, cached, candidates, thoughts, total int64
	hasInput, hasOutput, hasTotal                           bool
}

// parseTokenCounts reads usageMetadata. ok is false if it has no plausible counts.
func parseTokenCounts(v jsontext.Value) (c tokenCounts, ok bool) {
	for name, v := range jsonscan.Members(v) {
		n, isCount := jsonscan.ParseInteger(v)
		if !isCount {
			continue
		}
		if n < 0 || n > maxTokenCount {
			return c, false
		}
		switch string(name) {
		case "promptTokenCount":
			c.prompt, c.hasInput = n, true
		case "candidatesTokenCount":
			c.candidates, c.hasOutput = n, true
		case "thoughtsTokenCount":
			c.thoughts, c.hasOutput = n, true
		case "toolUsePromptTokenCount":
			c.toolPrompt = n
		case "cachedContentTokenCount":
			c.cached = n
		case "totalTokenCount":
			c.total, c.hasTotal = n, true
		}
	}
	return c, c.hasInput || c.hasOutput
}

// response returns the counts in buckets that do not overlap.
func (c *tokenCounts) response() normalize.Response {
	input, output := c.prompt+c.toolPrompt, c.candidates+c.thoughts
	cached := min(c.cached, input)
	r := normalize.Response{Usage: &catalog.Usage{Input: input - cached, CacheRead: cached, Output: output, Reasoning: c.thoughts}}
	if c.hasTotal {
		r.UsageDiscrepancy = c.total - input - output
	}
	r.OutputUnknown = !c.hasOutput && !c.hasTotal
	return r
}
