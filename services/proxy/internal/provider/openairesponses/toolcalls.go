package openairesponses

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/outbound"
)

// maxCallID is the maximum length of a call id in the Responses API, in bytes.
const maxCallID = 64

// toUpstreamID returns the call id for the upstream, as a JSON string. Ids are never converted
// back, because the model creates new ids for new calls. Equal ids stay equal.
func toUpstreamID(v []byte) []byte {
	id := outbound.StripSignature(jsonscan.DecodeString(v))
	if len(id) <= maxCallID {
		return quoteString(id)
	}
	sum := sha256.Sum256(id)
	return quoteString("call_" + hex.EncodeToString(sum[:16]))
}

// toolCall is a call in an assistant message, as raw JSON.
type toolCall struct {
	id, index, kind, function, custom []byte
	name, arguments, input            []byte
}

func (t *requestTranslator) addToolCalls(m *message) error {
	for raw := range jsonscan.Elements(m.toolCalls) {
		var c toolCall
		readObject(raw, t.dropBelow("messages[].tool_calls[]."), field{"id", &c.id}, field{"index", &c.index},
			field{"type", &c.kind}, field{"function", &c.function}, field{"custom", &c.custom})
		readObject(c.function, nil, field{"name", &c.name}, field{"arguments", &c.arguments})
		readObject(c.custom, nil, field{"name", &c.name}, field{"input", &c.input})
		switch {
		case isObject(c.function):
			t.addFunctionCall(&c)
		case isObject(c.custom):
			t.addCustomCall(&c)
		default:
			return m.unsupportedError("tool_calls", "a call needs a function or a custom tool")
		}
	}
	return nil
}

func (t *requestTranslator) addFunctionCall(c *toolCall) {
	arguments := c.arguments
	switch {
	case jsonscan.IsNull(arguments):
		arguments = []byte(`"{}"`)
	case !jsonscan.IsString(arguments):
		arguments = quoteString(arguments)
	}
	dst := appendMember(append(t.input, `{"type":"function_call",`...), "call_id", toUpstreamID(c.id))
	dst = appendMember(dst, "name", c.name)
	t.input = closeWith(appendMember(dst, "arguments", arguments), "},")
}

func (t *requestTranslator) addCustomCall(c *toolCall) {
	id := toUpstreamID(c.id)
	if t.customCalls == nil {
		t.customCalls = map[string]bool{}
	}
	t.customCalls[string(id)] = true
	dst := appendMember(append(t.input, `{"type":"custom_tool_call",`...), "call_id", id)
	dst = appendMember(dst, "name", c.name)
	t.input = closeWith(appendMember(dst, "input", stringOrEmpty(c.input)), "},")
}

// addToolResult adds the result of a tool call.
func (t *requestTranslator) addToolResult(m *message) error {
	id, kind := toUpstreamID(m.callID), "function_call_output"
	if t.customCalls[string(id)] {
		kind = "custom_tool_call_output"
	}
	t.input = appendMember(append(t.input, `{"type":"`+kind+`",`...), "call_id", id)
	t.input = append(t.input, `"output":`...)
	if !isArray(m.content) {
		t.input = append(append(t.input, stringOrEmpty(m.content)...), "},"...)
		return nil
	}
	t.input = append(t.input, '[')
	if err := t.appendInputParts(m); err != nil {
		return err
	}
	t.input = closeWith(t.input, "]},")
	return nil
}
