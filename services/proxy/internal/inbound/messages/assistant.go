package messages

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// assistantTurn collects the consecutive messages of the assistant. In a chat they are one
// message, because tool results must come directly after the message with the calls.
type assistantTurn struct {
	isOpen  bool
	content contentBuilder
	// reasoning is the content of a JSON string, still escaped. details and calls hold array
	// elements.
	reasoning, details, calls []byte
}

func (t *requestTranslator) addAssistantMessage(content []byte) {
	a := &t.assistant
	a.isOpen = true
	a.content.addText(content, nil)
	for raw := range jsonscan.Elements(content) {
		b := t.parseBlock(raw)
		switch stringValue(b.kind) {
		case "tool_use":
			t.addToolUse(&b)
		case "thinking":
			t.restoreThinking(&b)
		case "redacted_thinking":
			// parseBlock reports the encrypted data as dropped.
		default:
			t.addBlock(&a.content, &b)
		}
	}
}

func (t *requestTranslator) addToolUse(b *block) {
	if b.cache != nil {
		t.reportDropped("messages[].content[].cache_control")
	}
	input := b.input
	if !isObject(input) {
		input = []byte("{}")
	}
	dst := appendMember(append(t.assistant.calls, '{'), "id", toChatID(b.id))
	dst = append(dst, `"type":"function","function":{`...)
	dst = appendMember(dst, "name", t.responder.names.toChat(b.name))
	dst = closeWith(appendString(dst, "arguments", input), "}},")
	t.assistant.calls = dst
	t.awaitsResults = true
}

// flushAssistant writes the collected message of the assistant.
func (t *requestTranslator) flushAssistant() {
	a := &t.assistant
	if !a.isOpen {
		return
	}
	dst := append(t.messages, `{"role":"assistant","content":`...)
	if a.content.count == 0 && len(a.calls) > 0 {
		dst = append(dst, "null,"...)
	} else {
		dst = append(a.content.appendValue(dst), ',')
	}
	if len(a.reasoning) > 0 {
		dst = append(append(append(dst, `"reasoning_content":"`...), a.reasoning...), `",`...)
	}
	dst = appendArray(dst, "reasoning_details", a.details)
	dst = appendArray(dst, "tool_calls", a.calls)
	t.messages = closeWith(dst, "},")
	a.content.reset()
	*a = assistantTurn{content: a.content, reasoning: a.reasoning[:0], details: a.details[:0], calls: a.calls[:0]}
}
