package openai

import (
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxChoices is the most answers that the format allows to one request.
	maxChoices = 128
	// maxCalls is how many tools the format allows. Every fragment is looked
	// up among the calls so far.
	maxCalls = 128
	// noIndex is for a call that came without one.
	noIndex = -1
)

// readCalls reads tool_calls; null is the same as none.
func (c *chunk) readCalls(m *message) {
	if !c.open(jsontext.KindBeginArray) {
		if !isNull(c.value()) {
			c.fail(invalidResponse("tool_calls is not an array"))
		}
		return
	}
	m.calls = m.calls[:0]
	for n := 1; c.element(); n++ {
		var k *call
		m.calls, k = extend(m.calls)
		*k = call{index: noIndex, extra: k.extra[:0], inside: k.inside[:0]}
		c.readCall(k)
		m.text += len(k.args)
		if k.empty() {
			m.calls = m.calls[:len(m.calls)-1]
		}
		if n > maxCalls {
			c.fail(errManyCalls())
		}
	}
}

// readLegacy reads function_call, which came before tool_calls.
func (c *chunk) readLegacy(m *message) {
	rawName := c.rawName
	if c.kind() != jsontext.KindBeginObject {
		c.value()
		return
	}
	var k call
	c.readFunction(&k)
	m.legacy, m.says = true, true
	m.text += len(k.args)
	m.extra = append(append(append(m.extra, ','), rawName...), ':')
	m.extra = k.appendBody(m.extra, k.name, `""`)
}

func errManyCalls() error { return invalidResponse("too many tool calls") }

func (c *chunk) readCall(k *call) {
	if !c.open(jsontext.KindBeginObject) {
		c.fail(invalidResponse("a tool call is not an object"))
	}
	for c.member() {
		switch string(c.name) {
		case "index":
			if n, ok := integer(c.value()); ok && n >= 0 {
				k.index = int(n)
			}
		case "id":
			k.id = c.value()
		case "type":
			k.kind = c.value()
		case "function":
			c.readFunction(k)
		default:
			k.extra = c.appendExtra(k.extra, c.rawName)
		}
	}
}

func (c *chunk) readFunction(k *call) {
	if !c.open(jsontext.KindBeginObject) {
		c.value()
		return
	}
	k.function = true
	for c.member() {
		switch string(c.name) {
		case "name":
			k.name = c.value()
		case "arguments":
			k.args = c.value()
		default:
			k.inside = c.appendExtra(k.inside, c.rawName)
		}
	}
}
