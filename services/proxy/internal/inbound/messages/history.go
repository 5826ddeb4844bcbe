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
