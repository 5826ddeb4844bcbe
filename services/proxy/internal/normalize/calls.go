package normalize

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

const (
	// maxToolCalls is the OpenAI limit for tools. It also bounds the search for the
	// call to which a fragment belongs.
	maxToolCalls = 128
	// noIndex marks a tool call without an index.
	noIndex = -1
	// invalidIndex marks a choice whose index is out of range.
	invalidIndex = -1
)

// readToolCalls reads tool_calls. Null means that there are no calls.
func (c *chunk) readToolCalls(m *message) {
	if !c.Enter(jsonscan.BeginArray) {
		if !jsonscan.IsNull(c.Value()) {
			c.SetError(upstreamerror.InvalidResponse("tool_calls is not an array"))
		}
		return
	}
	m.calls = m.calls[:0]
	for n := 1; c.NextElement(); n++ {
		var k *toolCall
		m.calls, k = extendReusing(m.calls)
		*k = toolCall{index: noIndex, extra: k.extra[:0], functionExtra: k.functionExtra[:0]}
		c.readToolCall(k)
		m.textBytes += len(k.args)
		if k.isEmpty() {
			m.calls = m.calls[:len(m.calls)-1]
		}
		if n > maxToolCalls {
			c.SetError(errTooManyToolCalls())
		}
	}
}

// readFunctionCall reads function_call, the predecessor of tool_calls.
func (c *chunk) readFunctionCall(m *message) {
	rawName := c.RawName()
	if c.PeekKind() != jsonscan.BeginObject {
		c.Value()
		return
	}
	var k toolCall
	c.readCallFunction(&k)
	m.hasFunctionCall, m.hasContent = true, true
	m.textBytes += len(k.args)
	m.extra = append(append(append(m.extra, ','), rawName...), ':')
	m.extra = k.appendFunctionObject(m.extra, k.name, `""`)
}

func errTooManyToolCalls() error { return upstreamerror.InvalidResponse("too many tool calls") }

func (c *chunk) readToolCall(k *toolCall) {
	if !c.Enter(jsonscan.BeginObject) {
		c.SetError(upstreamerror.InvalidResponse("a tool call is not an object"))
	}
	for c.NextMember() {
		switch string(c.Name()) {
		case "index":
			if n, ok := jsonscan.ParseInteger(c.Value()); ok && n >= 0 {
				k.index = int(n)
			}
		case "id":
			k.id = c.Value()
		case "type":
			k.kind = c.Value()
		case "function":
			c.readCallFunction(k)
		default:
			k.extra = c.appendNextValue(k.extra, c.RawName())
		}
	}
}

func (c *chunk) readCallFunction(k *toolCall) {
	if !c.Enter(jsonscan.BeginObject) {
		c.Value()
		return
	}
	k.hasFunction = true
	for c.NextMember() {
		switch string(c.Name()) {
		case "name":
			k.name = c.Value()
		case "arguments":
			k.args = c.Value()
		default:
			k.functionExtra = c.appendNextValue(k.functionExtra, c.RawName())
		}
	}
}
