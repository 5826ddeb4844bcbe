package openai

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxChoices is the most answers that the format allows to one request.
	maxChoices = 128
	// maxCalls is how many tools the format allows. Every fragment is looked
	// up among the calls so far.
	maxCalls = 128
)

// readCalls reads tool_calls; null is the same as none.
func (c *chunk) readCalls(m *message) {
	if !c.open(jsontext.KindBeginArray) {
		if !isNull(c.value()) {
			c.fail(invalidResponse("tool_calls is not an array"))
		}
		return
	}
	for c.element() {
		var k *call
		m.calls, k = extend(m.calls)
		*k = call{index: len(m.calls) - 1, extra: k.extra[:0], inside: k.inside[:0]}
		c.readCall(k)
		m.text += len(k.args)
		if len(m.calls) > maxCalls {
			c.fail(errManyCalls())
		}
	}
}

func errManyCalls() error { return invalidResponse("too many tool calls") }

func (c *chunk) readCall(k *call) {
	if !c.open(jsontext.KindBeginObject) {
		c.fail(invalidResponse("a tool call is not an object"))
	}
	for c.member() {
		switch string(c.name) {
		case "index":
			if n, ok := integer(c.value()); ok {
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

// track is what has been sent of one tool call.
type track struct {
	// index is the upstream's, which may begin at 1 or be the same for all.
	index    int
	id, name string
}

// place finds the call that a fragment belongs to, or starts one, and returns
// its place among the choice's calls.
func (st *state) place(k *call) (at int, fresh bool) {
	id, name := text(k.id), text(k.name)
	at = -1
	for i, t := range st.calls {
		if id != "" && t.id == id {
			return i, false
		}
		if t.index == k.index {
			at = i
		}
	}
	if at >= 0 && !st.calls[at].differs(id, name) {
		return at, false
	}
	st.calls = append(st.calls, track{index: k.index, id: id, name: name})
	return len(st.calls) - 1, true
}

// differs tells a new call from a fragment: upstreams that give every call the
// same index, or none, give each its own id, or at least its name.
func (t track) differs(id, name string) bool {
	if id != "" && t.id != "" {
		return id != t.id
	}
	return name != "" && t.name != "" && name != t.name
}

// appendFragment writes a fragment: id, type and name come once, as clients
// glue together what comes twice.
func (st *state) appendFragment(dst []byte, k *call, prefix string) []byte {
	at, fresh := st.place(k)
	t := &st.calls[at]
	dst = append(dst, `{"index":`...)
	dst = strconv.AppendInt(dst, int64(at), 10)
	if fresh {
		dst = appendIdentity(append(dst, ','), k, callID(prefix, t.id, at))
	}
	name := k.name
	switch {
	case fresh:
	case t.name == "":
		t.name = text(name)
	default:
		name = nil
	}
	dst = appendFunction(dst, k, name)
	dst = append(dst, k.extra...)
	return append(dst, '}')
}

// callID is the upstream's id, or one made of our own.
func callID(prefix, id string, at int) string {
	if id == "" {
		return "call_" + prefix + "_" + strconv.Itoa(at)
	}
	return id
}

func appendIdentity(dst []byte, k *call, id string) []byte {
	dst = append(dst, `"id":`...)
	dst = appendQuoted(dst, id)
	if len(k.kind) > 2 && isText(k.kind) {
		dst = append(dst, `,"type":`...)
		return append(dst, k.kind...)
	}
	return append(dst, `,"type":"function"`...)
}

// appendFunction writes the function with arguments as a string; upstreams
// also send the object itself.
func appendFunction(dst []byte, k *call, name jsontext.Value) []byte {
	if !k.function {
		return dst
	}
	dst = append(dst, `,"function":{`...)
	if !isBlank(name) {
		dst = append(dst, `"name":`...)
		dst = append(dst, name...)
		dst = append(dst, ',')
	}
	dst = append(dst, `"arguments":`...)
	dst = appendArguments(dst, k.args)
	dst = append(dst, k.inside...)
	return append(dst, '}')
}

func appendArguments(dst []byte, args jsontext.Value) []byte {
	switch {
	case isNull(args):
		return append(dst, `""`...)
	case isText(args):
		return append(dst, args...)
	}
	return appendQuoted(dst, bytes.TrimSpace(args))
}
