package normalize

import (
	"strconv"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// transcriptChoice is the recorded output of one choice. Its texts are JSON strings
// without the quotes, still escaped.
type transcriptChoice struct {
	content      []byte
	otherMembers objectBuilder
	calls        []transcriptCall
}

// transcriptCall is one tool call of a choice. name and args are JSON strings without the
// quotes, still escaped.
type transcriptCall struct {
	id          string
	kind        []byte
	name, args  []byte
	hasFunction bool
	// otherMembers holds the other members of the call, and functionMembers those of
	// its function.
	otherMembers, functionMembers objectBuilder
}

// appendJSON appends the choice, followed by a comma.
func (c *transcriptChoice) appendJSON(dst []byte, index int, st *choiceState) []byte {
	dst = append(dst, `{"index":`...)
	dst = strconv.AppendInt(dst, int64(index), 10)
	dst = append(dst, `,"message":{"role":"assistant","content":`...)
	if len(c.content) > 0 || len(c.calls) == 0 {
		dst = appendRequoted(dst, c.content)
	} else {
		dst = append(dst, "null"...)
	}
	dst = c.otherMembers.appendMembers(dst)
	if len(c.calls) > 0 {
		dst = c.appendToolCalls(dst)
	}
	dst = append(dst, `},"finish_reason":`...)
	if !st.isFinished() {
		return append(dst, "null},"...)
	}
	return append(jsonscan.AppendQuoted(dst, st.callKind().adjustReason(st.finishReason)), "},"...)
}

func (c *transcriptChoice) appendToolCalls(dst []byte) []byte {
	dst = append(dst, `,"tool_calls":[`...)
	for i := range c.calls {
		n := &c.calls[i]
		k := toolCall{kind: n.kind}
		dst = appendIDAndType(append(dst, '{'), &k, n.id)
		if n.hasFunction {
			dst = n.appendFunction(dst)
		}
		dst = append(n.otherMembers.appendMembers(dst), "},"...)
	}
	dst[len(dst)-1] = ']'
	return dst
}

func (n *transcriptCall) appendFunction(dst []byte) []byte {
	dst = appendRequoted(append(dst, `,"function":{"name":`...), n.name)
	dst = append(dst, `,"arguments":`...)
	if len(n.args) == 0 {
		dst = append(dst, emptyArguments...)
	} else {
		dst = appendRequoted(dst, n.args)
	}
	return append(n.functionMembers.appendMembers(dst), '}')
}

// appendRequoted appends an escaped text with quotes around it.
func appendRequoted(dst, inner []byte) []byte {
	return append(append(append(dst, '"'), inner...), '"')
}
