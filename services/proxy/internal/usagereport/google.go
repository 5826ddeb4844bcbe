package usagereport

import (
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/namelist"
)

// Google holds the token counts that Google reports. Prompt includes cached tokens, but not the
// results of Google's own tools, which are counted in ToolPrompt. Candidates does not include
// Thoughts.
type Google struct {
	Prompt, ToolPrompt, Cached, Candidates, Thoughts, Total int64
	HasInput, HasOutput, HasTotal                           bool
	// Kinds holds the tokens that do not have the price of text, such as audio.
	Kinds []KindCount
	// Unpriced names what Google charges in addition to the counts that have a price.
	Unpriced namelist.List
}

// KindCount is the number of tokens of one kind of content, such as audio.
type KindCount struct {
	Kind     string
	IsOutput bool
	Tokens   int64
}

// ParseGoogle reads usageMetadata. ok is false if it has no plausible counts.
func ParseGoogle(metadata []byte) (g Google, ok bool) {
	for name, v := range jsonscan.Members(metadata) {
		n, isCount := jsonscan.ParseInteger(v)
		if !isCount {
			g.readOther(string(name), v)
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

// readOther reads a member that is not a count.
func (g *Google) readOther(name string, v []byte) {
	switch name {
	case "promptTokensDetails", "toolUsePromptTokensDetails":
		g.readKinds(v, false)
	case "candidatesTokensDetails":
		g.readKinds(v, true)
	case "serviceTier":
		AddUnpriced(&g.Unpriced, "service_tier", v)
	}
}

// readKinds reads the counts of the kinds of content.
func (g *Google) readKinds(details []byte, isOutput bool) {
	for detail := range jsonscan.Elements(details) {
		kind := strings.ToLower(jsonscan.DecodeText(jsonscan.Member(detail, "modality")))
		before, count := len(g.Unpriced), jsonscan.Member(detail, "tokenCount")
		if addDetail(&g.Unpriced, isOutput, kind+"_tokens", count); len(g.Unpriced) > before {
			n, _ := jsonscan.ParseInteger(count)
			g.Kinds = append(g.Kinds, KindCount{kind, isOutput, n})
		}
	}
}

// CountSearches returns how many searches Google made for a response, by its
// groundingMetadata.
func CountSearches(grounding []byte) (n int64) {
	for range jsonscan.Elements(jsonscan.Member(grounding, "webSearchQueries")) {
		n++
	}
	return n
}

// SearchTool is the name of Google's search in records and in usage objects.
const SearchTool = "google_search"

// Input is the whole input.
func (g *Google) Input() int64 { return g.Prompt + g.ToolPrompt }

// Output is the whole output.
func (g *Google) Output() int64 { return g.Candidates + g.Thoughts }

// Buckets returns counts that do not overlap.
func (g *Google) Buckets() *catalog.Usage {
	cached := min(g.Cached, g.Input())
	return &catalog.Usage{Input: g.Input() - cached, CacheRead: cached, Output: g.Output(), Reasoning: g.Thoughts}
}
