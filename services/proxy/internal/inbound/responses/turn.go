package responses

import (
	"maps"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// assistantTurn collects adjacent items of the assistant for one message of the chat. Lists
// contain elements with a trailing comma. Reasoning texts are escaped, without quotes.
type assistantTurn struct {
	content   contentBuilder
	reasoning []byte
	details   []byte
	calls     []turnCall
	// extras maps call ids to further members of the call, with a comma before each.
	extras map[string][]byte
	// lateReasoning and lateDetails came after the text. They belong to the next message if
	// the assistant continues, and to this one otherwise.
	lateReasoning, lateDetails []byte
	hasLate                    bool
}

// turnCall is a tool call. arguments is a JSON string.
type turnCall struct {
	id, arguments jsontext.Value
	name          string
}

// paragraph separates two reasoning texts. It is escaped.
const paragraph = `\n\n`

func joinReasoning(dst, text []byte) []byte {
	if len(dst) > 0 && len(text) > 0 {
		dst = append(dst, paragraph...)
	}
	return append(dst, text...)
}

func (a *assistantTurn) addReasoning(text, entries []byte) {
	details, extras := splitCallEntries(entries)
	if a.extras == nil {
		a.extras = extras
	} else {
		maps.Copy(a.extras, extras)
	}
	if a.content.count > 0 && len(a.calls) == 0 {
		a.lateReasoning, a.lateDetails = joinReasoning(a.lateReasoning, text), append(a.lateDetails, details...)
		a.hasLate = true
		return
	}
	a.reasoning, a.details = joinReasoning(a.reasoning, text), append(a.details, details...)
}

// isEmpty reports whether the turn has neither content nor calls.
func (a *assistantTurn) isEmpty() bool { return a.content.count == 0 && len(a.calls) == 0 }

// continueTurn is called before an item that is output of the assistant. It starts another
// message of the chat if the item cannot belong to the current one: reasoning after the text
// belongs to the output that follows it, and each text is a message of its own. Items after a
// call stay in the message of the call, because the outputs of tools must follow it directly.
func (t *requestTranslator) continueTurn(isMessage bool) {
	a := &t.turn
	if len(a.calls) > 0 || !a.hasLate && (!isMessage || a.content.count == 0) {
		return
	}
	next := assistantTurn{reasoning: a.lateReasoning, details: a.lateDetails, extras: a.extras}
	a.lateReasoning, a.lateDetails = nil, nil
	t.endTurn()
	t.turn = next
}

// endTurn writes the message of the assistant, if there is one. Reasoning without any output
// is dropped, because such a message is invalid in a chat.
func (t *requestTranslator) endTurn() {
	a := &t.turn
	a.reasoning, a.details = joinReasoning(a.reasoning, a.lateReasoning), append(a.details, a.lateDetails...)
	if a.isEmpty() {
		if len(a.reasoning)+len(a.details) > 0 {
			t.reportDropped("input[].summary")
		}
		*a = assistantTurn{}
		return
	}
	t.flushWaiting()
	dst := append(t.messages, `{"role":"assistant","content":`...)
	dst = a.content.appendValue(dst)
	if len(a.reasoning) > 0 {
		dst = appendEscaped(appendName(dst, "reasoning_content"), a.reasoning)
	}
	if len(a.details) > 0 {
		dst = appendList(appendName(dst, "reasoning_details"), a.details)
	}
	if len(a.calls) > 0 {
		dst = a.appendCalls(appendName(dst, "tool_calls"))
	}
	t.messages = append(dst, "},"...)
	t.waiting.expect(a.calls)
	*a = assistantTurn{}
}

func (a *assistantTurn) appendCalls(dst []byte) []byte {
	dst = append(dst, '[')
	for i := range a.calls {
		call := &a.calls[i]
		dst = append(append(dst, `{"id":`...), call.id...)
		dst = append(dst, `,"type":"function","function":{"name":`...)
		dst = jsonscan.AppendQuoted(dst, call.name)
		dst = append(appendMember(dst, "arguments", call.arguments), '}')
		dst = append(dst, a.extras[jsonscan.DecodeText(call.id)]...)
		dst = append(dst, "},"...)
	}
	dst[len(dst)-1] = ']'
	return dst
}

// customArguments returns the arguments of the function that replaces a custom tool, as a
// JSON string.
func customArguments(input jsontext.Value) []byte {
	object := append(append([]byte(`{"`+customInput+`":`), input...), '}')
	return jsonscan.AppendQuoted(nil, object)
}
