package gemini

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/usagereport"
)

// writeUsage writes the usage in the OpenAI format. It writes the total that Google
// reported, so that package normalize can compare it with the sum.
func (t *responseTranslator) writeUsage(v jsontext.Value) {
	g, ok := usagereport.ParseGoogle(v)
	if !ok {
		return
	}
	if !g.HasTotal {
		g.Total = g.Input() + g.Output()
	}
	t.key("usage").open('{')
	t.key("prompt_tokens").number(g.Input())
	t.key("completion_tokens").number(g.Output())
	t.key("total_tokens").number(g.Total)
	if g.Cached != 0 {
		t.key("prompt_tokens_details").open('{')
		t.key("cached_tokens").number(g.Cached)
		t.close('}')
	}
	if g.Thoughts != 0 {
		t.key("completion_tokens_details").open('{')
		t.key("reasoning_tokens").number(g.Thoughts)
		t.close('}')
	}
	t.close('}')
}
