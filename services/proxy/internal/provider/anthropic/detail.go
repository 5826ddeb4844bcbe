package anthropic

import (
	"bytes"
	"strconv"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// detail is an entry of reasoning_details: a thought, or a piece of one, by
// which a client sends it back.
type detail struct {
	kind, format                 string
	text, signature, data, index []byte
	// joined is set if text is a text of our own.
	joined bool
}

// readDetail takes an entry, or a block of the format's own, which some clients
// keep as it is.
func readDetail(raw []byte) (d detail) {
	for name, v := range jsonscan.Members(raw) {
		switch string(name) {
		case "type":
			d.kind = word(v)
		case "format":
			d.format = word(v)
		case "text", "thinking":
			d.text = v
		case "signature":
			d.signature = v
		case "data":
			d.data = v
		case "index":
			d.index = v
		}
	}
	switch d.kind {
	case "thinking":
		d.kind, d.format = "reasoning.text", formatName
	case "redacted_thinking":
		d.kind, d.format = "reasoning.encrypted", formatName
	}
	return d
}

// ours tells whether the entry is of this format. A text may come without its
// name, since its signature tells; what is encrypted may be anybody's.
func (d *detail) ours() bool {
	return d.format == formatName || d.format == "" && d.kind == "reasoning.text"
}

// joins tells whether the next entry is a piece of the same thought: clients
// that gather a stream keep every piece.
func (d *detail) joins(next *detail) bool {
	return d.kind == "reasoning.text" && next.kind == d.kind && len(jsonscan.Text(d.signature)) == 0 && string(d.index) == string(next.index)
}

func (d *detail) join(next *detail) {
	if !d.joined {
		d.text, d.joined = bytes.Clone(d.words()), true
	}
	d.text = append(d.text[:len(d.text)-1], next.words()[1:]...)
	d.signature = next.signature
	if d.format == "" {
		d.format = next.format
	}
}

// words are the text, as a string value.
func (d *detail) words() []byte { return orEmpty(d.text) }

// appendThought writes an entry for a thought of the model's, with its comma.
func appendThought(dst []byte, at int, words, signature []byte) []byte {
	dst = append(dst, `{"type":"reasoning.text","text":`...)
	dst = append(append(dst, words...), ',')
	dst = appendMember(dst, "signature", signature)
	return appendFormat(dst, at)
}

// appendHidden writes an entry for one that cannot be read.
func appendHidden(dst []byte, at int, data []byte) []byte {
	dst = appendMember(append(dst, `{"type":"reasoning.encrypted",`...), "data", data)
	return appendFormat(dst, at)
}

func appendFormat(dst []byte, at int) []byte {
	dst = append(dst, `"format":"`+formatName+`","index":`...)
	return append(strconv.AppendInt(dst, int64(at), 10), "},"...)
}
