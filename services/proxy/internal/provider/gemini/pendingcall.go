package gemini

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// pendingCall is a function call whose arguments may arrive in several pieces.
type pendingCall struct {
	name, id, signature jsontext.Value
	args                jsontext.Value
	pieces              argumentTree
}

// addCallPart reads a part with a function call. A part with a name starts a call. A part
// without a name continues the open call.
func (t *responseTranslator) addCallPart(c *choiceState, p responsePart, s *messageDelta) {
	var name, id, args, pieces, continues jsontext.Value
	readFields(p.call, field{"name", &name}, field{"id", &id}, field{"args", &args},
		field{"partialArgs", &pieces}, field{"willContinue", &continues})
	if !lacksText(name) {
		t.flushCall(c, s)
		// Clone the values, because the buffer of the event is reused.
		c.openCall = &pendingCall{
			name: bytes.Clone(name), id: bytes.Clone(id), signature: bytes.Clone(p.signature), args: bytes.Clone(args),
		}
	}
	if c.openCall == nil {
		return
	}
	for piece := range jsonscan.Elements(pieces) {
		c.openCall.pieces.addPiece(piece)
	}
	if !isTrue(continues) {
		t.flushCall(c, s)
	}
}

// flushCall writes the open call, if any. The arguments are written all at once, because
// they are valid JSON only when they are complete.
func (t *responseTranslator) flushCall(c *choiceState, s *messageDelta) {
	g := c.openCall
	if g == nil {
		return
	}
	c.openCall = nil
	id, signature := jsonscan.DecodeString(g.id), jsonscan.DecodeString(g.signature)
	if len(id) == 0 {
		id = generateCallID(t.callIDBase, t.callCount)
	}
	o := &s.toolCalls
	o.open('{')
	o.key("index").number(int64(c.callCount))
	o.key("id").quote(withSignature(id, signature))
	o.key("type").literal(`"function"`)
	o.key("function").open('{')
	o.key("name").raw(g.name)
	o.key("arguments").quote(g.argumentsJSON())
	o.close('}')
	if len(signature) > 0 {
		o.key("extra_content").open('{')
		o.key("google").open('{')
		o.key("thought_signature").raw(g.signature)
		o.buf = append(o.buf, "}}"...)
	}
	o.close('}')
	c.callCount++
	t.callCount++
}

// argumentsJSON returns the arguments as a compact JSON object.
func (g *pendingCall) argumentsJSON() []byte {
	if !isObject(g.args) {
		return g.pieces.toJSON()
	}
	compact, err := jsontext.AppendFormat(nil, g.args,
		jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(true))
	if err != nil {
		return g.args
	}
	return compact
}
