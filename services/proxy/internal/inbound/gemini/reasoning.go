package gemini

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// maxReasoning limits the reasoning that is stored for the next turn, in bytes. Clients send
// it back with every request.
const maxReasoning = 4 << 20

// reasoningBuffer collects the reasoning of a message, so that it can be stored in a thought
// signature.
type reasoningBuffer struct {
	text    jsontext.Value
	details []detail
	size    int
	// google is the last of Google's own signatures.
	google []byte
}

// detail is one entry of reasoning_details. raw is used instead of text if the entry is not
// readable reasoning. others are the members besides text and signature.
type detail struct {
	kind, index     string
	text, signature jsontext.Value
	others          jsonWriter
}

func (b *reasoningBuffer) addText(text jsontext.Value) {
	if b.size += len(text); lacksText(text) || b.size > maxReasoning {
		return
	}
	b.text = joinText(b.text, text)
}

// joinText appends the JSON string next to the JSON string text.
func joinText(text, next jsontext.Value) jsontext.Value {
	if len(text) == 0 {
		return bytes.Clone(next)
	}
	return append(text[:len(text)-1], next[1:]...)
}

// addDetails adds entries of reasoning_details. A stream sends the text of an entry in many
// pieces, which become one entry again.
func (b *reasoningBuffer) addDetails(details jsontext.Value) {
	for entry := range jsonscan.Elements(details) {
		if b.size += len(entry); !isObject(entry) || b.size > maxReasoning {
			continue
		}
		if string(jsonscan.Member(entry, "format")) == `"`+reasoningFormat+`"` {
			if data := jsonscan.DecodeString(jsonscan.Member(entry, "data")); len(data) > 0 {
				b.google = bytes.Clone(data)
			}
			continue
		}
		next := parseDetail(entry)
		if n := len(b.details); n > 0 && b.details[n-1].continuesWith(&next) {
			b.details[n-1].join(&next)
			continue
		}
		b.details = append(b.details, next)
	}
}

func parseDetail(entry jsontext.Value) (d detail) {
	for name, v := range jsonscan.Members(entry) {
		switch string(name) {
		case "text":
			d.text = bytes.Clone(v)
			continue
		case "signature":
			d.signature = bytes.Clone(v)
			continue
		case "type":
			d.kind = string(v)
		case "index":
			d.index = string(v)
		}
		d.others.comma()
		d.others.buf = append(jsonscan.AppendQuoted(d.others.buf, name), ':')
		d.others.raw(v)
	}
	return d
}

// continuesWith reports whether next is a further piece of the same reasoning. A signature
// ends it.
func (d *detail) continuesWith(next *detail) bool {
	return d.kind == next.kind && d.index == next.index && jsonscan.IsBlank(d.signature) &&
		jsonscan.IsString(d.text) && (jsonscan.IsString(next.text) || !jsonscan.IsBlank(next.signature))
}

func (d *detail) join(next *detail) {
	if !lacksText(next.text) {
		d.text = joinText(d.text, next.text)
	}
	if next.signature != nil {
		d.signature = next.signature
	}
	if len(next.others.buf) > len(d.others.buf) {
		d.others = next.others
	}
}

// takeSignature returns the signature for a message without calls. If there are calls, it
// stores the signature in the first call instead, unless Google signed the calls itself.
func (b *reasoningBuffer) takeSignature(calls []functionCall) []byte {
	signature := b.google
	if len(signature) == 0 && (len(b.details) > 0 || len(calls) > 0 && len(b.text) > 0) {
		signature = encodeState(reasoningState{reasoning: b.text, details: b.detailsJSON()})
	}
	if len(calls) == 0 {
		return signature
	}
	for i := range calls {
		if len(calls[i].signature) > 0 {
			return nil
		}
	}
	calls[0].signature = signature
	return nil
}

func (b *reasoningBuffer) detailsJSON() jsontext.Value {
	if len(b.details) == 0 {
		return nil
	}
	var w jsonWriter
	w.open('[')
	for i := range b.details {
		d := &b.details[i]
		w.open('{')
		if !d.others.isEmpty() {
			w.raw(d.others.buf)
		}
		if d.text != nil {
			w.key("text").raw(d.text)
		}
		if d.signature != nil {
			w.key("signature").raw(d.signature)
		}
		w.close("}")
	}
	w.close("]")
	return w.buf
}
