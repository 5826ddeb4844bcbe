package requestbody

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// attributionPrefix starts the line with which Claude Code tells Anthropic how to bill a
// request. It is the first block of the system prompt, and its values change from request to
// request.
const attributionPrefix = "x-anthropic-billing-header:"

// StripAttribution removes Claude Code's attribution line from the start of a text. The text
// is the content of a JSON string, still escaped.
func StripAttribution(text []byte) []byte {
	if !bytes.HasPrefix(text, []byte(attributionPrefix)) {
		return text
	}
	_, rest, _ := bytes.Cut(text, []byte(`\n`))
	return rest
}

// hashAnthropicOpening identifies a conversation by the system prompt and the first message
// that the user wrote. It hashes only their texts, because agents move cache markers and
// switch between strings and blocks from turn to turn.
func (r *Request) hashAnthropicOpening() uint64 {
	if r.opening.to <= r.opening.from {
		return 0
	}
	var text []byte
	if m := r.FindMember("system"); m != nil {
		text = appendBlockTexts(text, r.MemberValue(m))
	}
	text = append(text, '"') // cannot occur in the texts
	return hashText(appendBlockTexts(text, r.Body[r.opening.from:r.opening.to]))
}

// appendBlockTexts appends a string, or the texts of an array of blocks. They stay escaped.
func appendBlockTexts(dst []byte, v jsontext.Value) []byte {
	if jsonscan.IsString(v) {
		return append(dst, StripAttribution(stripQuotes(v))...)
	}
	for block := range jsonscan.Elements(v) {
		if text := jsonscan.Member(block, "text"); jsonscan.IsString(text) {
			dst = append(dst, StripAttribution(stripQuotes(text))...)
		}
	}
	return dst
}
