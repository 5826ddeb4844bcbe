package openai

import (
	"github.com/signalbox/signalbox/pkg/catalog"
)

// What the estimate of input tokens is made of. It is meant to choose a model
// and to hold a budget, not to bill: bills follow what upstreams report.
const (
	// bytesPerToken holds for English prose; code and other scripts use more
	// bytes a character, and more tokens with them.
	bytesPerToken = 4
	// tokensPerMessage is what the role and the separators cost.
	tokensPerMessage = 4
	// tokensPerMedium is about a picture of a megapixel. Sound and documents
	// are taken for as much, as their size says little about their content.
	tokensPerMedium = 765
)

// tally is what the pass over a body counts.
type tally struct {
	messages, turns, tools       int
	images, audio, files, tokens int
	// text and user are bytes of UTF-8, whatever was written as an escape.
	text, user int
	format     string
}

func (t *tally) fill(r *Request) {
	media := t.images + t.audio + t.files
	r.InputTokens = EstimateTokens(t.text) + int64(t.tokens+t.messages*tokensPerMessage+media*tokensPerMedium)
	r.Needs = t.needs()
	if r.Kind == catalog.Embeddings {
		r.Features = map[string]int64{"inputs": int64(r.Inputs), "text_bytes": int64(t.text)}
		return
	}
	r.Features = map[string]int64{
		"messages":   int64(t.messages),
		"turns":      int64(t.turns),
		"text_bytes": int64(t.text),
		"user_bytes": int64(t.user),
		"tools":      int64(t.tools),
		"images":     int64(t.images),
		"max_output": r.MaxOutputTokens,
		"stream":     flag(r.Stream),
	}
}

func (t *tally) needs() []catalog.Capability {
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
	return needs
}

// EstimateTokens is about how many tokens a text of so many bytes has.
func EstimateTokens(bytes int) int64 {
	return int64(bytes+bytesPerToken-1) / bytesPerToken
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
