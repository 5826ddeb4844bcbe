package anthropic

import (
	"bytes"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// reasoningDetail is an entry of reasoning_details: thinking that the client sends back,
// or a piece of it.
type reasoningDetail struct {
	kind, format                 string
	text, signature, data, index []byte
	// ownsText is set if text is a copy to which more can be appended.
	ownsText bool
}

// parseReasoningDetail parses an entry of reasoning_details. It also parses a native
// thinking block, because some clients send such blocks back unchanged.
func parseReasoningDetail(raw []byte) (d reasoningDetail) {
	var kind, format []byte
	for name, v := range jsonscan.Members(raw) {
		dst := findField(string(name), field{"type", &kind}, field{"format", &format}, field{"text", &d.text}, field{"thinking", &d.text},
			field{"signature", &d.signature}, field{"data", &d.data}, field{"index", &d.index})
		if dst != nil {
			*dst = v
		}
	}
	d.kind, d.format = stringValue(kind), stringValue(format)
	switch d.kind {
	case "thinking":
		d.kind, d.format = "reasoning.text", reasoningFormat
	case "redacted_thinking":
		d.kind, d.format = "reasoning.encrypted", reasoningFormat
	}
	return d
}

// isAnthropicFormat reports whether the entry can be sent to an Anthropic upstream. A text
// entry may lack the format name, because the upstream checks its signature. An encrypted
// entry without the name could belong to any vendor.
func (d *reasoningDetail) isAnthropicFormat() bool {
	return d.format == reasoningFormat || d.format == "" && d.kind == "reasoning.text"
}

// continuesWith reports whether next is a further piece of the same thinking. Some clients
// store every piece of a stream as a separate entry.
func (d *reasoningDetail) continuesWith(next *reasoningDetail) bool {
	return d.kind == "reasoning.text" && next.kind == d.kind && len(jsonscan.DecodeString(d.signature)) == 0 && string(d.index) == string(next.index)
}

func (d *reasoningDetail) appendPiece(next *reasoningDetail) {
	if !d.ownsText {
		d.text, d.ownsText = bytes.Clone(d.textValue()), true
	}
	d.text = append(d.text[:len(d.text)-1], next.textValue()[1:]...)
	d.signature = next.signature
	if d.format == "" {
		d.format = next.format
	}
}

// textValue returns the text as a JSON string.
func (d *reasoningDetail) textValue() []byte { return stringOrEmpty(d.text) }

// appendTextDetail appends an entry for readable thinking, with a trailing comma.
func appendTextDetail(dst []byte, index int, text, signature []byte) []byte {
	dst = append(dst, `{"type":"reasoning.text","text":`...)
	dst = append(append(dst, text...), ',')
	dst = appendMember(dst, "signature", signature)
	return appendDetailFormat(dst, index)
}

// appendEncryptedDetail appends an entry for redacted thinking, with a trailing comma.
func appendEncryptedDetail(dst []byte, index int, data []byte) []byte {
	dst = appendMember(append(dst, `{"type":"reasoning.encrypted",`...), "data", data)
	return appendDetailFormat(dst, index)
}

func appendDetailFormat(dst []byte, index int) []byte {
	dst = append(dst, `"format":"`+reasoningFormat+`",`...)
	return closeWith(appendNumber(dst, "index", index), "},")
}
