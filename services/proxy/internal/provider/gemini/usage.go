package gemini

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/usagereport"
)

// writeUsage writes the usage in the OpenAI format. It writes the total that Google
// reported, so that package normalize can compare it with the sum.
func (t *responseTranslator) writeUsage(v jsontext.Value) {
	g, ok := usagereport.ParseGoogle(v)
	if !ok {
		return
	}
	t.key("usage").open('{')
	t.key("prompt_tokens").number(g.Input())
	t.writeOutputCount(&g)
	t.writeDetails("prompt_tokens_details", "cached_tokens", g.Cached, false, g.Kinds)
	t.writeDetails("completion_tokens_details", "reasoning_tokens", g.Thoughts, true, g.Kinds)
	if t.searchCount > 0 {
		t.key("server_tool_use").open('{')
		t.key(usagereport.SearchTool + "_requests").number(t.searchCount)
		t.close('}')
	}
	if slices.Contains(g.Unpriced, "service_tier") {
		t.key("service_tier").raw(jsonscan.Member(v, "serviceTier"))
	}
	t.close('}')
}

// writeOutputCount writes the counts of the output and of the whole. The first events of a
// stream count only the prompt. Then the output is not known yet, and it is not 0 if the stream
// breaks.
func (t *responseTranslator) writeOutputCount(g *usagereport.Google) {
	if !g.HasOutput && t.messageKey == deltaMember && !t.isComplete() {
		return
	}
	if !g.HasTotal {
		g.Total = g.Input() + g.Output()
	}
	t.key("completion_tokens").number(g.Output())
	t.key("total_tokens").number(g.Total)
}

// writeDetails writes the counts that are part of the input or the output, unless there are
// none.
func (t *responseTranslator) writeDetails(member, name string, n int64, isOutput bool, kinds []usagereport.KindCount) {
	isOther := func(k usagereport.KindCount) bool { return k.IsOutput == isOutput }
	if n == 0 && !slices.ContainsFunc(kinds, isOther) {
		return
	}
	t.key(member).open('{')
	if n != 0 {
		t.key(name).number(n)
	}
	for _, k := range kinds {
		if isOther(k) {
			t.quotedKey([]byte(k.Kind + "_tokens")).number(k.Tokens)
		}
	}
	t.close('}')
}
