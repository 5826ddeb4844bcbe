package gemini

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// tokenCounts holds Google's token counts. prompt includes cached tokens, but not the
// results of Google's own tools, which are counted in toolPrompt. candidates does not
// include thoughts.
type tokenCounts struct {
	prompt, toolPrompt, cached, candidates, thoughts, total int64
	// hasCounts is set if the count of prompt, candidates or thoughts was reported.
	// hasTotal is set if the total was reported.
	hasCounts, hasTotal bool
}

func parseTokenCounts(v jsontext.Value) tokenCounts {
	var c tokenCounts
	for name, v := range jsonscan.Members(v) {
		n, err := strconv.ParseInt(string(v), 10, 64)
		if err != nil {
			continue
		}
		switch string(name) {
		case "promptTokenCount":
			c.prompt, c.hasCounts = n, true
		case "candidatesTokenCount":
			c.candidates, c.hasCounts = n, true
		case "toolUsePromptTokenCount":
			c.toolPrompt = n
		case "cachedContentTokenCount":
			c.cached = n
		case "thoughtsTokenCount":
			c.thoughts, c.hasCounts = n, true
		case "totalTokenCount":
			c.total, c.hasTotal = n, true
		}
	}
	return c
}

// writeUsage writes the usage in the OpenAI format. It writes the total that Google
// reported, so that package normalize can compare it with the sum.
func (t *responseTranslator) writeUsage(v jsontext.Value) {
	c := parseTokenCounts(v)
	if !c.hasCounts {
		return
	}
	input, output := c.prompt+c.toolPrompt, c.candidates+c.thoughts
	if !c.hasTotal {
		c.total = input + output
	}
	t.key("usage").open('{')
	t.key("prompt_tokens").number(input)
	t.key("completion_tokens").number(output)
	t.key("total_tokens").number(c.total)
	if c.cached != 0 {
		t.key("prompt_tokens_details").open('{')
		t.key("cached_tokens").number(c.cached)
		t.close('}')
	}
	if c.thoughts != 0 {
		t.key("completion_tokens_details").open('{')
		t.key("reasoning_tokens").number(c.thoughts)
		t.close('}')
	}
	t.close('}')
}
