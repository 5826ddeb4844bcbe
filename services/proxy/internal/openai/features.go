package openai

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/proxy/internal/tokens"
)

// tally is what the pass over a body counts.
type tally struct {
	messages, turns, tools int
	images, audio, files   int
	// weight is the tokens of the text, and tokens those that are known
	// otherwise.
	weight tokens.Milli
	tokens int64
	// text and user are bytes of UTF-8, whatever was written as an escape.
	text, user int
	format     string
	logprobs   bool
}

func (t *tally) fill(r *Request) {
	r.InputTokens = t.weight.Tokens() + t.tokens
	r.Needs = t.needs(r.Choices)
	if r.Kind == catalog.Embeddings {
		r.Features = decide.Numbers{{Name: "inputs", Value: int64(r.Inputs)}, {Name: "text_bytes", Value: int64(t.text)}}
		return
	}
	r.InputTokens += int64(tokens.PerChat + t.messages*tokens.PerMessage + t.tools*tokens.PerTool + (t.audio+t.files)*tokens.PerMedium)
	r.Features = decide.Numbers{
		{Name: "images", Value: int64(t.images)},
		{Name: "max_output", Value: r.MaxOutputTokens},
		{Name: "messages", Value: int64(t.messages)},
		{Name: "stream", Value: flag(r.Stream)},
		{Name: "text_bytes", Value: int64(t.text)},
		{Name: "tools", Value: int64(t.tools)},
		{Name: "turns", Value: int64(t.turns)},
		{Name: "user_bytes", Value: int64(t.user)},
	}
}

func (t *tally) needs(choices int) []catalog.Capability {
	var needs []catalog.Capability
	add := func(needed bool, c catalog.Capability) {
		if needed {
			needs = append(needs, c)
		}
	}
	add(t.tools > 0, catalog.Tools)
	add(t.format == string(catalog.JSONObject), catalog.JSONObject)
	add(t.format == string(catalog.JSONSchema), catalog.JSONSchema)
	add(t.images > 0, catalog.Vision)
	add(t.audio > 0, catalog.Audio)
	add(t.files > 0, catalog.Files)
	add(t.logprobs, catalog.Logprobs)
	add(choices > 1, catalog.Choices)
	return needs
}

// Media tells whether a request has more than text: its tokens are then not a
// matter of how text is counted.
func (r *Request) Media() bool {
	return slices.ContainsFunc(r.Needs, func(c catalog.Capability) bool {
		return c == catalog.Vision || c == catalog.Audio || c == catalog.Files
	})
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
