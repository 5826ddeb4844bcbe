package gemini

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// counts are Google's. Those of the prompt include the cached ones but not what
// Google's own tools found; those of the candidates exclude the thoughts.
type counts struct {
	prompt, found, cached, candidates, thoughts, total int64
	// told is set if any of them but the total was.
	told, summed bool
}

func countsOf(v jsontext.Value) counts {
	var c counts
	for name, v := range jsonscan.Members(v) {
		n, err := strconv.ParseInt(string(v), 10, 64)
		if err != nil {
			continue
		}
		switch string(name) {
		case "promptTokenCount":
			c.prompt, c.told = n, true
		case "candidatesTokenCount":
			c.candidates, c.told = n, true
		case "toolUsePromptTokenCount":
			c.found = n
		case "cachedContentTokenCount":
			c.cached = n
		case "thoughtsTokenCount":
			c.thoughts, c.told = n, true
		case "totalTokenCount":
			c.total, c.summed = n, true
		}
	}
	return c
}

// usage writes what an answer used in our clients' meaning, with Google's own
// total, by which it is checked.
func (t *translator) usage(v jsontext.Value) {
	c := countsOf(v)
	if !c.told {
		return
	}
	input, output := c.prompt+c.found, c.candidates+c.thoughts
	if !c.summed {
		c.total = input + output
	}
	t.key("usage").open('{')
	t.key("prompt_tokens").number(input)
	t.key("completion_tokens").number(output)
	t.key("total_tokens").number(c.total)
	if c.cached != 0 {
		t.key("prompt_tokens_details").open('{')
		t.key("cached_tokens").number(c.cached)
		t.end('}')
	}
	if c.thoughts != 0 {
		t.key("completion_tokens_details").open('{')
		t.key("reasoning_tokens").number(c.thoughts)
		t.end('}')
	}
	t.end('}')
}
