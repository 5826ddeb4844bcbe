package usagereport

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// Google holds the token counts that Google reports. Prompt includes cached tokens, but not the
// results of Google's own tools, which are counted in ToolPrompt. Candidates does not include
// Thoughts.
type Google struct {
	Prompt, ToolPrompt, Cached, Candidates, Thoughts, Total int64
	HasInput, HasOutput, HasTotal                           bool
}

// ParseGoogle reads usageMetadata. ok is false if it has no plausible counts.
func ParseGoogle(metadata []byte) (g Google, ok bool) {
	for name, v := range jsonscan.Members(metadata) {
		n, isCount := jsonscan.ParseInteger(v)
		if !isCount {
			continue
		}
		if n < 0 || n > maxCount {
			return g, false
		}
		switch string(name) {
		case "promptTokenCount":
			g.Prompt, g.HasInput = n, true
		case "candidatesTokenCount":
			g.Candidates, g.HasOutput = n, true
		case "thoughtsTokenCount":
			g.Thoughts, g.HasOutput = n, true
		case "toolUsePromptTokenCount":
			g.ToolPrompt = n
		case "cachedContentTokenCount":
			g.Cached = n
		case "totalTokenCount":
			g.Total, g.HasTotal = n, true
		}
	}
	return g, g.HasInput || g.HasOutput
}

// Input is the whole input.
func (g *Google) Input() int64 { return g.Prompt + g.ToolPrompt }

// Output is the whole output.
func (g *Google) Output() int64 { return g.Candidates + g.Thoughts }

// Buckets returns counts that do not overlap.
func (g *Google) Buckets() *catalog.Usage {
	cached := min(g.Cached, g.Input())
	return &catalog.Usage{Input: g.Input() - cached, CacheRead: cached, Output: g.Output(), Reasoning: g.Thoughts}
}
