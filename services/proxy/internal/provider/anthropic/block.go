package anthropic

import (
	"strconv"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// block is a block of an answer, or a delta of one, as the upstream wrote it.
type block struct {
	kind, id, name, text, thinking, signature, data []byte
	input, partial, citation, citations             []byte
	stopReason, stopDetails                         []byte
}

func (b *block) slot(name string) *[]byte {
	switch name {
	case "type":
		return &b.kind
	case "id":
		return &b.id
	case "name":
		return &b.name
	case "text":
		return &b.text
	case "thinking":
		return &b.thinking
	case "signature":
		return &b.signature
	case "data":
		return &b.data
	case "input":
		return &b.input
	case "partial_json":
		return &b.partial
	case "citation":
		return &b.citation
	case "citations":
		return &b.citations
	case "stop_reason":
		return &b.stopReason
	case "stop_details":
		return &b.stopDetails
	}
	return nil
}

// read takes the next value, if it is an object.
func (b *block) read(r *jsonscan.Reader) {
	if !r.Open(jsonscan.BeginObject) {
		r.Value()
		return
	}
	for r.Member() {
		slot := b.slot(string(r.Name()))
		if v := r.Value(); slot != nil && !isNull(v) {
			*slot = v
		}
	}
}

// says tells whether v is a string with something in it.
func says(v []byte) bool { return isText(v) && len(v) > 2 }

// arguments is the input of a call as a string value.
func (b *block) arguments() []byte {
	if !isObject(b.input) {
		return []byte(`"` + noInput + `"`)
	}
	return quoted(compact(b.input))
}

// appendCitation writes an annotation, with its comma, for a citation that has
// an address; from and to are the letters of the text that it is about.
func appendCitation(dst, citation []byte, from, to int) []byte {
	url := member(citation, "url")
	if !says(url) {
		return dst
	}
	dst = append(dst, `{"type":"url_citation","url_citation":{"start_index":`...)
	dst = strconv.AppendInt(dst, int64(from), 10)
	dst = append(dst, `,"end_index":`...)
	dst = append(strconv.AppendInt(dst, int64(to), 10), ',')
	dst = appendMember(dst, "url", url)
	dst = appendMember(dst, "title", orEmpty(member(citation, "title")))
	return closed(dst, "}},")
}

// finishReason is a stop reason in our clients' words.
func finishReason(v []byte) string {
	switch word(v) {
	case "max_tokens", "model_context_window_exceeded", "compaction":
		return `"length"`
	case "tool_use":
		return `"tool_calls"`
	case "refusal":
		return `"content_filter"`
	}
	return `"stop"`
}
