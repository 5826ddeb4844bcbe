package anthropic

import (
	"strconv"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// message is one of the request's, as the client wrote it.
type message struct {
	role, content, cache, name              []byte
	calls, callID, failed, legacyCall       []byte
	details, thinkingBlocks, refusal, audio []byte
	reasoning                               []byte
	// at is its place among the others.
	at int
}

// unsupported refuses what a message has in a member.
func (m *message) unsupported(name, why string) error {
	return unsupported("messages["+strconv.Itoa(m.at)+"]."+name, why)
}

func (m *message) slot(name string) *[]byte {
	switch name {
	case "role":
		return &m.role
	case "content":
		return &m.content
	case "cache_control":
		return &m.cache
	case "tool_calls":
		return &m.calls
	case "tool_call_id":
		return &m.callID
	case "is_error":
		return &m.failed
	case "reasoning_details":
		return &m.details
	case "reasoning_content", "reasoning":
		return &m.reasoning
	case "thinking_blocks":
		return &m.thinkingBlocks
	case "refusal":
		return &m.refusal
	case "name":
		return &m.name
	case "function_call":
		return &m.legacyCall
	case "audio":
		return &m.audio
	}
	return nil
}

// readMessages makes the system prompt and the conversation.
func (o *outbound) readMessages() error {
	// What is added to a text block fits in what its message had around it.
	o.turns.buf = make([]byte, 0, len(o.in.messages)+len(o.in.messages)/8+256)
	i := 0
	for raw := range jsonscan.Elements(o.in.messages) {
		m := message{at: i}
		for name, v := range jsonscan.Members(raw) {
			switch slot := m.slot(string(name)); {
			case slot == nil && !isEmpty(v):
				o.drop("messages[]." + string(name))
			case slot != nil && !isNull(v):
				*slot = v
			}
		}
		if err := o.message(&m); err != nil {
			return err
		}
		i++
	}
	o.beginSomewhere()
	o.turns.prefill(o.wire.Reasoning != catalog.Adaptive)
	return nil
}

// beginSomewhere makes the system prompt the user's words where there are none.
func (o *outbound) beginSomewhere() {
	if o.turns.role == "" && len(o.system) > 0 {
		o.turns.block(roleUser, o.system)
		o.system = nil
	}
}

func (o *outbound) message(m *message) error {
	if m.legacyCall != nil {
		return m.unsupported("function_call", "send tool_calls instead")
	}
	if m.name != nil {
		o.drop("messages[].name")
	}
	switch role := word(m.role); role {
	case "system", "developer":
		return o.content(m, o.systemRole())
	case "user":
		return o.content(m, o.spoken(roleUser))
	case "assistant":
		return o.assistantMessage(m)
	case "tool":
		return o.toolMessage(m)
	}
	return m.unsupported("role", "it knows system, developer, user, assistant and tool")
}

// systemRole puts a leading message before the conversation. A later one stands
// where it is if the model takes that, but never between the calls of tools and
// the last of their results; else the user says it, after them.
func (o *outbound) systemRole() func(*part) error {
	switch {
	case o.turns.role == "":
		return func(p *part) error {
			if !p.isText() {
				return p.unsupported("a system message has text only")
			}
			if !isBlank(p.text) {
				o.system = appendTextBlock(o.system, p.text, p.cache)
			}
			return nil
		}
	case o.wire.SystemInside && o.turns.unanswered == 0:
		return o.written(roleSystem)
	}
	return o.spoken(roleUser)
}

// spoken takes the parts of a turn that may have more than text.
func (o *outbound) spoken(role string) func(*part) error {
	return func(p *part) error {
		if p.isText() {
			o.turns.text(role, p.text, p.cache)
			return nil
		}
		block, err := o.medium(o.scratch[:0], p)
		if err != nil {
			return err
		}
		o.scratch = block
		o.turns.block(role, block)
		return nil
	}
}

// written takes the parts of a turn that has only text.
func (o *outbound) written(role string) func(*part) error {
	return func(p *part) error {
		if !p.isText() {
			return p.unsupported("only users show pictures and files")
		}
		o.turns.text(role, p.text, p.cache)
		return nil
	}
}

// assistantMessage keeps the order in which a model writes: it thinks, speaks
// and calls.
func (o *outbound) assistantMessage(m *message) error {
	if m.audio != nil {
		return m.unsupported("audio", "it does not hear")
	}
	o.replay(m)
	if err := o.content(m, o.written(roleAssistant)); err != nil {
		return err
	}
	o.turns.text(roleAssistant, m.refusal, nil)
	return o.toolCalls(m)
}
