package anthropic

import (
	"strconv"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// message is one message of the request, as raw JSON.
type message struct {
	role, content, cache, name              []byte
	toolCalls, callID, isError, legacyCall  []byte
	details, thinkingBlocks, refusal, audio []byte
	reasoning                               []byte
	// index is the position of the message in the messages array.
	index int
}

func (m *message) unsupportedError(name, why string) error {
	return unsupportedError("messages["+strconv.Itoa(m.index)+"]."+name, why)
}

func (m *message) lookup(name string) *[]byte {
	return findField(name,
		field{"role", &m.role}, field{"content", &m.content}, field{"cache_control", &m.cache},
		field{"tool_calls", &m.toolCalls}, field{"tool_call_id", &m.callID}, field{"is_error", &m.isError},
		field{"reasoning_details", &m.details}, field{"reasoning_content", &m.reasoning},
		field{"reasoning", &m.reasoning}, field{"thinking_blocks", &m.thinkingBlocks},
		field{"refusal", &m.refusal}, field{"name", &m.name}, field{"function_call", &m.legacyCall},
		field{"audio", &m.audio},
	)
}

// readMessages translates the messages into the system prompt and the turns.
func (o *requestTranslator) readMessages() error {
	// The capacity is an estimate. The buffer grows if necessary.
	o.turns.buf = make([]byte, 0, len(o.fields.messages)+len(o.fields.messages)/8+256)
	i := 0
	for raw := range jsonscan.Elements(o.fields.messages) {
		m := message{index: i}
		for name, v := range jsonscan.Members(raw) {
			switch dst := m.lookup(string(name)); {
			case dst == nil && !isEmpty(v):
				o.reportDropped("messages[]." + string(name))
			case dst != nil && !jsonscan.IsNull(v):
				*dst = v
			}
		}
		if err := o.addMessage(&m); err != nil {
			return err
		}
		i++
	}
	o.useSystemAsUser()
	o.turns.endConversation(o.wire.Reasoning != catalog.AdaptiveThinking)
	return nil
}

// useSystemAsUser turns the system prompt into a user turn if the conversation has no
// turns, because the Anthropic API requires at least one turn.
func (o *requestTranslator) useSystemAsUser() {
	if o.turns.role == "" && len(o.system) > 0 {
		o.turns.appendBlock(roleUser, o.system)
		o.system = nil
	}
}

func (o *requestTranslator) addMessage(m *message) error {
	if m.legacyCall != nil {
		return m.unsupportedError("function_call", `send "tool_calls" instead`)
	}
	if m.name != nil {
		o.reportDropped("messages[].name")
	}
	switch role := stringValue(m.role); role {
	case "system", "developer":
		return o.eachPart(m, o.systemPartHandler())
	case "user":
		return o.eachPart(m, o.mediaPartHandler(roleUser))
	case "assistant":
		return o.addAssistantMessage(m)
	case "tool":
		return o.addToolResult(m)
	}
	return m.unsupportedError("role", `the value must be "system", "developer", "user", "assistant" or "tool"`)
}

// systemPartHandler returns the handler for the parts of a system message. A message
// before the first turn becomes part of the system prompt. A later message stays in place
// if the model supports this and no tool result is pending. Otherwise it becomes part of
// the user's turn.
func (o *requestTranslator) systemPartHandler() func(*contentPart) error {
	switch {
	case o.turns.role == "":
		return func(p *contentPart) error {
			if !p.isText() {
				return p.unsupportedError("a system message may contain only text")
			}
			if !isBlank(p.text) {
				o.system = appendTextBlock(o.system, p.text, p.cache)
			}
			return nil
		}
	case o.wire.AllowsLaterSystem && o.turns.pendingCalls == 0:
		return o.textPartHandler(roleSystem)
	}
	return o.mediaPartHandler(roleUser)
}

// mediaPartHandler returns the handler for the parts of a turn that may contain media.
func (o *requestTranslator) mediaPartHandler(role string) func(*contentPart) error {
	return func(p *contentPart) error {
		if p.isText() {
			o.turns.appendText(role, p.text, p.cache)
			return nil
		}
		block, err := o.appendMediaBlock(o.scratch[:0], p)
		if err != nil {
			return err
		}
		o.scratch = block
		o.turns.appendBlock(role, block)
		return nil
	}
}

// textPartHandler returns the handler for the parts of a turn that may contain only text.
func (o *requestTranslator) textPartHandler(role string) func(*contentPart) error {
	return func(p *contentPart) error {
		if !p.isText() {
			return p.unsupportedError("only user messages may contain images and files")
		}
		o.turns.appendText(role, p.text, p.cache)
		return nil
	}
}

// addAssistantMessage adds an assistant message in the order that the Anthropic API
// requires: thinking, text, tool calls.
func (o *requestTranslator) addAssistantMessage(m *message) error {
	if m.audio != nil {
		return m.unsupportedError("audio", "it does not accept audio")
	}
	o.replayThinking(m)
	if err := o.eachPart(m, o.textPartHandler(roleAssistant)); err != nil {
		return err
	}
	o.turns.appendText(roleAssistant, m.refusal, nil)
	return o.addToolCalls(m)
}
