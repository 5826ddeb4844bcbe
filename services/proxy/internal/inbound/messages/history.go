package messages

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// addMessages translates the conversation.
func (t *requestTranslator) addMessages(v []byte) {
	for raw := range jsonscan.Elements(v) {
		t.addMessage(raw)
		t.index++
	}
	t.flushAssistant()
	t.flushSystem()
}

func (t *requestTranslator) addMessage(raw []byte) {
	var role, content []byte
	for name, v := range jsonscan.Members(raw) {
		switch string(name) {
		case "role":
			role = v
		case "content":
			content = v
		default:
			t.readMessageOption(string(name), v)
		}
	}
	switch stringValue(role) {
	case "assistant":
		t.addAssistantMessage(content)
	case "system":
		t.flushAssistant()
		t.addSystemMessage(content)
	default:
		t.flushAssistant()
		t.addUserMessage(content)
	}
}

func (t *requestTranslator) readMessageOption(name string, v []byte) {
	if isEmpty(v) {
		return
	}
	t.reportDropped("messages[]." + name)
	if effort := jsonscan.Member(v, "effort"); name == "output_config" && hasText(effort) {
		t.messageEffort = effort
	}
}

// addSystemMessage adds a system message inside the conversation. If tool results are
// missing, the message waits for them.
func (t *requestTranslator) addSystemMessage(content []byte) {
	t.content.reset()
	t.addInnerBlocks(&t.content, content)
	if t.awaitsResults {
		t.heldSystem = t.content.appendMessage(t.heldSystem, "system")
		return
	}
	t.messages = t.content.appendMessage(t.messages, "system")
}

func (t *requestTranslator) flushSystem() {
	t.messages = append(t.messages, t.heldSystem...)
	t.heldSystem, t.awaitsResults = t.heldSystem[:0], false
}

// addUserMessage adds the tool results of a user message, then its other content.
func (t *requestTranslator) addUserMessage(content []byte) {
	t.content.reset()
	t.content.addText(content, nil)
	hasResults := false
	for raw := range jsonscan.Elements(content) {
		b := t.parseBlock(raw)
		if stringValue(b.kind) == "tool_result" {
			t.addToolResult(&b)
			hasResults = true
			continue
		}
		t.addBlock(&t.content, &b)
	}
	t.flushSystem()
	if t.content.count > 0 || !hasResults {
		t.messages = t.content.appendMessage(t.messages, "user")
	}
}

// addToolResult adds a tool message. Its images and files become part of the user message
// that follows, because most vendors accept only text in tool messages.
func (t *requestTranslator) addToolResult(b *block) {
	t.result.reset()
	t.result.addText(b.content, nil)
	for raw := range jsonscan.Elements(b.content) {
		part := t.parseBlock(raw)
		switch stringValue(part.kind) {
		case "image", "document":
			t.content.addText(joinWords(`Part of the result of tool call `, toChatID(b.toolUseID), `:`), nil)
			t.addBlock(&t.content, &part)
		default:
			t.addBlock(&t.result, &part)
		}
	}
	if b.cache != nil && !t.result.markCache(b.cache) {
		t.reportDropped("messages[].content[].cache_control")
	}
	dst := append(t.messages, `{"role":"tool",`...)
	dst = appendMember(dst, "tool_call_id", toChatID(b.toolUseID))
	dst = append(t.result.appendValue(appendName(dst, "content")), ',')
	if isTrue(b.isError) {
		dst = append(dst, `"is_error":true,`...)
	}
	t.messages = closeWith(dst, "},")
}

// joinWords returns a JSON string with the text of v between two texts.
func joinWords(before string, v []byte, after string) []byte {
	text := append([]byte{'"'}, before...)
	text = append(append(text, inner(v)...), after...)
	return append(text, '"')
}

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
