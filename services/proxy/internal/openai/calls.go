package openai

import (
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxChoices is the OpenAI limit for completions per request.
	maxChoices = 128
	// maxToolCalls is the OpenAI limit for tools. It also bounds the search for the
	// call to which a fragment belongs.
	maxToolCalls = 128
	// noIndex marks a tool call without an index.
	noIndex = -1
)

// readToolCalls reads tool_calls. Null means that there are no calls.
func (c *chunk) readToolCalls(m *message) {
	if !c.enter(jsontext.KindBeginArray) {
		if !isNull(c.readValue()) {
			c.fail(errInvalidResponse("tool_calls is not an array"))
		}
		return
	}
	m.calls = m.calls[:0]
	for n := 1; c.nextElement(); n++ {
		var k *toolCall
		m.calls, k = extendReusing(m.calls)
		*k = toolCall{index: noIndex, extra: k.extra[:0], functionExtra: k.functionExtra[:0]}
		c.readToolCall(k)
		m.textBytes += len(k.args)
		if k.isEmpty() {
			m.calls = m.calls[:len(m.calls)-1]
		}
		if n > maxToolCalls {
			c.fail(errTooManyToolCalls())
		}
	}
}

// readFunctionCall reads function_call, the predecessor of tool_calls.
func (c *chunk) readFunctionCall(m *message) {
	rawName := c.rawName
	if c.peekKind() != jsontext.KindBeginObject {
		c.readValue()
		return
	}
	var k toolCall
	c.readCallFunction(&k)
	m.hasFunctionCall, m.hasContent = true, true
	m.textBytes += len(k.args)
	m.extra = append(append(append(m.extra, ','), rawName...), ':')
	m.extra = k.appendFunctionObject(m.extra, k.name, `""`)
}

func errTooManyToolCalls() error { return errInvalidResponse("too many tool calls") }

func (c *chunk) readToolCall(k *toolCall) {
	if !c.enter(jsontext.KindBeginObject) {
		c.fail(errInvalidResponse("a tool call is not an object"))
	}
	for c.nextMember() {
		switch string(c.name) {
		case "index":
			if n, ok := parseInteger(c.readValue()); ok && n >= 0 {
				k.index = int(n)
			}
		case "id":
			k.id = c.readValue()
		case "type":
			k.kind = c.readValue()
		case "function":
			c.readCallFunction(k)
		default:
			k.extra = c.appendNextValue(k.extra, c.rawName)
		}
	}
}

func (c *chunk) readCallFunction(k *toolCall) {
	if !c.enter(jsontext.KindBeginObject) {
		c.readValue()
		return
	}
	k.hasFunction = true
	for c.nextMember() {
		switch string(c.name) {
		case "name":
			k.name = c.readValue()
		case "arguments":
			k.args = c.readValue()
		default:
			k.functionExtra = c.appendNextValue(k.functionExtra, c.rawName)
		}
	}
}
