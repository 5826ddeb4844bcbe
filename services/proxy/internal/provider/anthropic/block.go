package anthropic

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// contentBlock holds the members of a content block of a response, or of a delta in a
// stream, as raw JSON. The delta belongs to a block or to the whole message.
type contentBlock struct {
	kind, id, name, text, thinking, signature, data []byte
	input, partialJSON, citation, citations         []byte
	stopReason, stopDetails                         []byte
}

func (b *contentBlock) lookup(name string) *[]byte {
	return findField(name,
		field{"type", &b.kind}, field{"id", &b.id}, field{"name", &b.name}, field{"text", &b.text},
		field{"thinking", &b.thinking}, field{"signature", &b.signature}, field{"data", &b.data},
		field{"input", &b.input}, field{"partial_json", &b.partialJSON}, field{"citation", &b.citation},
		field{"citations", &b.citations}, field{"stop_reason", &b.stopReason},
		field{"stop_details", &b.stopDetails},
	)
}

// readFrom reads the next value into b if it is an object, and skips it otherwise.
func (b *contentBlock) readFrom(r *jsonscan.Reader) {
	if !r.Enter(jsonscan.BeginObject) {
		r.Value()
		return
	}
	for r.NextMember() {
		dst := b.lookup(string(r.Name()))
		if v := r.Value(); dst != nil && !jsonscan.IsNull(v) {
			*dst = v
		}
	}
}

// hasText reports whether v is a non-empty string.
func hasText(v []byte) bool { return jsonscan.IsString(v) && len(v) > 2 }

// argumentsString returns the input of a tool call as a JSON string, as OpenAI clients
// expect it. An input that is not an object becomes an empty object.
func (b *contentBlock) argumentsString() []byte {
	if !isObject(b.input) {
		return []byte(`"` + emptyInput + `"`)
	}
	return quoteString(compactJSON(b.input))
}

// appendCitation appends a citation as an annotation, with a trailing comma. It skips a
// citation without a URL. start and end are the approximate offsets of the text that the
// citation supports, in characters.
func appendCitation(dst, citation []byte, start, end int) []byte {
	url := jsonscan.Member(citation, "url")
	if !hasText(url) {
		return dst
	}
	dst = append(dst, `{"type":"url_citation","url_citation":{`...)
	dst = appendNumber(dst, "start_index", start)
	dst = appendNumber(dst, "end_index", end)
	dst = appendMember(dst, "url", url)
	dst = appendMember(dst, "title", stringOrEmpty(jsonscan.Member(citation, "title")))
	return closeWith(dst, "}},")
}

// toFinishReason maps an Anthropic stop reason to an OpenAI finish_reason, as a JSON
// string.
func toFinishReason(v []byte) string {
	switch stringValue(v) {
	case "max_tokens", "model_context_window_exceeded", "compaction":
		return `"length"`
	case "tool_use":
		return `"tool_calls"`
	case "refusal":
		return `"content_filter"`
	}
	return `"stop"`
}
