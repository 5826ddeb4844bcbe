package requestbody

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/tokens"
)

// requestCounts holds the counts of a body, and the values that determine the required
// capabilities.
type requestCounts struct {
	messages, turns, tools int
	images, audio, files   int
	// textTokens is the estimate for text. otherTokens is the estimate for images and for
	// the inputs of embeddings.
	textTokens  tokens.Milli
	otherTokens int64
	// textBytes and userBytes are lengths in UTF-8 after unescaping. userBytes
	// counts only user messages.
	textBytes, userBytes int
	responseFormat       string
	logprobs             bool
}

// fillRequest sets the values of r that follow from the counts.
func (t *requestCounts) fillRequest(r *Request) {
	r.InputTokens = t.textTokens.Tokens() + t.otherTokens
	r.RequiredCapabilities = t.requiredCapabilities(r.Choices)
	if r.Kind == catalog.Embeddings {
		r.Features = decide.NamedValues{{Name: "inputs", Value: int64(r.InputCount)}, {Name: "text_bytes", Value: int64(t.textBytes)}}
		return
	}
	r.InputTokens += int64(tokens.PerChat + t.messages*tokens.PerMessage + t.tools*tokens.PerTool + (t.audio+t.files)*tokens.PerAttachment)
	r.Features = decide.NamedValues{
		{Name: "images", Value: int64(t.images)},
		{Name: "max_output", Value: r.MaxOutputTokens},
		{Name: "messages", Value: int64(t.messages)},
		{Name: "stream", Value: boolToInt(r.Stream)},
		{Name: "text_bytes", Value: int64(t.textBytes)},
		{Name: "tools", Value: int64(t.tools)},
		{Name: "turns", Value: int64(t.turns)},
		{Name: "user_bytes", Value: int64(t.userBytes)},
	}
	if r.Choices > 1 { // the first name in the order of the list
		r.Features = slices.Insert(r.Features, 0, decide.NamedValue{Name: "choices", Value: int64(r.Choices)})
	}
}

func (t *requestCounts) requiredCapabilities(choices int) []catalog.Capability {
	var needs []catalog.Capability
	add := func(needed bool, c catalog.Capability) {
		if needed {
			needs = append(needs, c)
		}
	}
	add(t.tools > 0, catalog.Tools)
	add(t.responseFormat == string(catalog.JSONObject), catalog.JSONObject)
	add(t.responseFormat == string(catalog.JSONSchema), catalog.JSONSchema)
	add(t.images > 0, catalog.Vision)
	add(t.audio > 0, catalog.Audio)
	add(t.files > 0, catalog.Files)
	add(t.logprobs, catalog.Logprobs)
	add(choices > 1, catalog.Choices)
	return needs
}

// HasMedia reports whether a request contains images, audio or files. Its token
// count then depends on more than its text.
func (r *Request) HasMedia() bool {
	return slices.ContainsFunc(r.RequiredCapabilities, func(c catalog.Capability) bool {
		return c == catalog.Vision || c == catalog.Audio || c == catalog.Files
	})
}

func boolToInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// estimateText estimates the tokens of a text whose bytes are counted already.
func (p *parser) estimateText(raw []byte) tokens.Milli {
	return tokens.EstimatePart(raw, max(0, p.counts.textBytes-len(raw)))
}
