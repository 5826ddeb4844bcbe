package openai

import "strconv"

// said is what one choice has said. Texts are as they were written, without
// their quotes.
type said struct {
	content []byte
	rest    object
	calls   []saidCall
}

type saidCall struct {
	id         string
	kind       []byte
	name, args []byte
	function   bool
	// rest and inside are the other members of the call and the function.
	rest, inside object
}

// append writes the choice with a comma after it.
func (c *said) append(dst []byte, index int, st *state) []byte {
	dst = append(dst, `{"index":`...)
	dst = strconv.AppendInt(dst, int64(index), 10)
	dst = append(dst, `,"message":{"role":"assistant","content":`...)
	if len(c.content) > 0 || len(c.calls) == 0 {
		dst = appendInner(dst, c.content)
	} else {
		dst = append(dst, "null"...)
	}
	dst = c.rest.appendMembers(dst)
	if len(c.calls) > 0 {
		dst = c.appendCalls(dst)
	}
	dst = append(dst, `},"finish_reason":`...)
	if !st.finished() {
		return append(dst, "null},"...)
	}
	return append(appendQuoted(dst, st.called().ends(st.reason)), "},"...)
}

func (c *said) appendCalls(dst []byte) []byte {
	dst = append(dst, `,"tool_calls":[`...)
	for i := range c.calls {
		n := &c.calls[i]
		k := call{kind: n.kind}
		dst = appendIdentity(append(dst, '{'), &k, n.id)
		if n.function {
			dst = n.appendFunction(dst)
		}
		dst = append(n.rest.appendMembers(dst), "},"...)
	}
	dst[len(dst)-1] = ']'
	return dst
}

func (n *saidCall) appendFunction(dst []byte) []byte {
	dst = appendInner(append(dst, `,"function":{"name":`...), n.name)
	dst = append(dst, `,"arguments":`...)
	if len(n.args) == 0 {
		dst = append(dst, noArguments...)
	} else {
		dst = appendInner(dst, n.args)
	}
	return append(n.inside.appendMembers(dst), '}')
}

// appendInner writes a text that has lost its quotes.
func appendInner(dst, inner []byte) []byte {
	return append(append(append(dst, '"'), inner...), '"')
}
