package outbound

import (
	"bytes"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// span is a range of offsets in the body.
type span struct{ from, to int }

// valueSpan locates a member's value.
func valueSpan(r *requestbody.Request, m *requestbody.Member) span {
	end := int(m.End)
	return span{end - len(r.MemberValue(m)), end}
}

// fixedEdits are the changes that every upstream needs.
type fixedEdits struct {
	// model is the value of the model name.
	model span
	// other is a second value that may change. It is stream_options of a chat or
	// encoding_format of embeddings. otherText replaces it.
	other     span
	otherText string
	// removed is a member that no upstream gets, or nil. Then other is its span.
	removed *requestbody.Member
}

// buildPlain returns the body for an upstream that has no deviations. The bytes are the
// client's, except for the model name and the following:
//   - A streaming request always requests usage. It never requests obfuscation, which
//     only one vendor supports.
//   - A request without streaming has no stream_options, which some upstreams reject.
//   - If the client requested embeddings as base64, they are requested as floats. The
//     response is encoded as base64 later.
//   - A null encoding_format is omitted, because some upstreams reject it.
func buildPlain(r *requestbody.Request, model string) [][]byte {
	e := planFixedEdits(r)
	name := jsonscan.AppendQuoted(make([]byte, 0, len(model)+8), model)
	if e.other.from < e.model.from {
		return [][]byte{r.Body[:e.other.from], []byte(e.otherText), r.Body[e.other.to:e.model.from], name, r.Body[e.model.to:]}
	}
	return [][]byte{r.Body[:e.model.from], name, r.Body[e.model.to:e.other.from], []byte(e.otherText), r.Body[e.other.to:]}
}

// ReplaceModel returns the client's body with another model name. All other bytes stay the
// same. A body without a model is returned unchanged.
func ReplaceModel(r *requestbody.Request, model string) [][]byte {
	m := r.FindMember("model")
	if m == nil {
		return [][]byte{r.Body}
	}
	at := valueSpan(r, m)
	return [][]byte{r.Body[:at.from], quoteString(model), r.Body[at.to:]}
}

func planFixedEdits(r *requestbody.Request) fixedEdits {
	e := fixedEdits{model: valueSpan(r, r.FindMember("model"))}
	if r.Kind == catalog.Embeddings {
		e.planEncodingFormat(r)
	} else {
		e.planStreamOptions(r)
	}
	return e
}

func (e *fixedEdits) planEncodingFormat(r *requestbody.Request) {
	m := r.FindMember("encoding_format")
	switch {
	case m == nil:
	case r.WantsBase64:
		e.other, e.otherText = valueSpan(r, m), `"float"`
	case jsonscan.IsNull(r.MemberValue(m)):
		e.remove(r, m)
	}
}

// remove plans the removal of a member and of one comma. Most members start with the
// comma before them. For the first member of the body, it removes the comma after the
// member. That comma exists, because the model is another member.
func (e *fixedEdits) remove(r *requestbody.Request, m *requestbody.Member) {
	e.removed, e.other = m, span{int(m.Start), int(m.End)}
	if bytes.TrimLeft(r.Body[m.Start:m.End], " \t\r\n")[0] != ',' {
		e.other.to += bytes.IndexByte(r.Body[m.End:], ',') + 1
	}
}
