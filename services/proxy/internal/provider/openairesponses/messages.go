package openairesponses

import (
	"strconv"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// message is one message of the request, as raw JSON.
type message struct {
	role, content, name, refusal, audio    []byte
	toolCalls, callID, legacyCall          []byte
	details, reasoning, cache, annotations []byte
	// index is the position of the message in the messages array.
	index int
}

func (m *message) unsupportedError(name, why string) error {
	return unsupportedError("messages["+strconv.Itoa(m.index)+"]."+name, why)
}

// readMessages translates the messages into items.
func (t *requestTranslator) readMessages() error {
	// The capacity is an estimate. The buffer grows if necessary.
	t.input = make([]byte, 0, len(t.fields.messages)+len(t.fields.messages)/8+256)
	i := 0
	for raw := range jsonscan.Elements(t.fields.messages) {
		m := message{index: i}
		readObject(raw, t.dropBelow("messages[]."), field{"role", &m.role}, field{"content", &m.content},
			field{"name", &m.name}, field{"refusal", &m.refusal}, field{"audio", &m.audio},
			field{"tool_calls", &m.toolCalls}, field{"tool_call_id", &m.callID}, field{"function_call", &m.legacyCall},
			field{"reasoning_details", &m.details}, field{"reasoning_content", &m.reasoning},
			field{"reasoning", &m.reasoning}, field{"cache_control", &m.cache}, field{"annotations", &m.annotations})
		if err := t.addMessage(&m); err != nil {
			return err
		}
		i++
	}
	return nil
}

func (t *requestTranslator) addMessage(m *message) error {
	t.reportLostMembers(m)
	switch role := stringValue(m.role); role {
	case "system", "developer":
		if renamed := t.wire.Roles[role]; renamed != "" {
			role = renamed
		}
		return t.addInputMessage(role, m)
	case "user":
		return t.addInputMessage(role, m)
	case "assistant":
		return t.addAssistantMessage(m)
	case "tool":
		return t.addToolResult(m)
	}
	return m.unsupportedError("role", `the value must be "system", "developer", "user", "assistant" or "tool"`)
}

// reportLostMembers reports the members that the Responses API has no form for.
func (t *requestTranslator) reportLostMembers(m *message) {
	for _, f := range []struct {
		name  string
		value []byte
	}{{"name", m.name}, {"cache_control", m.cache}, {"annotations", m.annotations}} {
		if !isEmpty(f.value) {
			t.reportDropped("messages[]." + f.name)
		}
	}
}

func (t *requestTranslator) beginMessage(role string) {
	t.input = append(t.input, `{"type":"message",`...)
	t.input = append(appendMember(t.input, "role", quoteString(role)), `"content":`...)
}

// addInputMessage adds a message of the system or the user.
func (t *requestTranslator) addInputMessage(role string, m *message) error {
	t.beginMessage(role)
	if !isArray(m.content) {
		t.input = append(append(t.input, stringOrEmpty(m.content)...), "},"...)
		return nil
	}
	t.input = append(t.input, '[')
	if err := t.appendInputParts(m); err != nil {
		return err
	}
	t.input = closeWith(t.input, "]},")
	return nil
}

// addAssistantMessage adds the items of an assistant message in the order in which a model
// writes them: reasoning, text, tool calls.
func (t *requestTranslator) addAssistantMessage(m *message) error {
	switch {
	case m.legacyCall != nil:
		return m.unsupportedError("function_call", `send "tool_calls" instead`)
	case !isEmpty(m.audio):
		return m.unsupportedError("audio", "it does not accept audio")
	}
	t.replayReasoning(m)
	switch {
	case isArray(m.content) || hasText(m.refusal):
		if err := t.addOutputParts(m); err != nil {
			return err
		}
	case hasText(m.content):
		t.beginMessage("assistant")
		t.input = append(append(t.input, m.content...), "},"...)
	}
	return t.addToolCalls(m)
}

// stringOrEmpty returns v if v is a string. Otherwise it returns an empty JSON string.
func stringOrEmpty(v []byte) []byte {
	if jsonscan.IsString(v) {
		return v
	}
	return []byte(`""`)
}
