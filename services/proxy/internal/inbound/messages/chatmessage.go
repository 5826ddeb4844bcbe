package messages

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// chatMessage holds the members of a chat's message or delta, as raw JSON.
type chatMessage struct {
	content, refusal, reasoning, details, calls []byte
	finishReason, stopText                      []byte
}

func (m *chatMessage) lookup(name string) *[]byte {
	switch name {
	case "content":
		return &m.content
	case "refusal":
		return &m.refusal
	case "reasoning_content":
		return &m.reasoning
	case "reasoning_details":
		return &m.details
	case "tool_calls":
		return &m.calls
	}
	return nil
}

// readChoice reads the members of a choice. The reader is before the choice.
func (m *chatMessage) readChoice(r *jsonscan.Reader) {
	if !enters(r, jsonscan.BeginObject) {
		return
	}
	for r.NextMember() {
		switch string(r.Name()) {
		case "delta", "message":
			m.readMessage(r)
		case "finish_reason":
			m.finishReason = r.Value()
		case "stop_reason", "matched_stop":
			// Some upstreams tell which stop sequence ended the response.
			m.stopText = r.Value()
		default:
			r.Value()
		}
	}
}

func (m *chatMessage) readMessage(r *jsonscan.Reader) {
	if !enters(r, jsonscan.BeginObject) {
		return
	}
	for r.NextMember() {
		dst := m.lookup(string(r.Name()))
		if v := r.Value(); dst != nil && !jsonscan.IsNull(v) {
			*dst = v
		}
	}
}

// readChat reads the first choice and the usage of a chat or a chunk. It returns the number
// of choices.
func readChat(in *jsonscan.Reader, m *chatMessage, u *usage) (choices int) {
	if !enters(in, jsonscan.BeginObject) {
		return 0
	}
	for in.NextMember() {
		switch string(in.Name()) {
		case "choices":
			choices = m.readChoices(in)
		case "usage":
			u.readChat(in)
		default:
			in.Value()
		}
	}
	return choices
}

// readChoices reads the first choice and skips the others.
func (m *chatMessage) readChoices(in *jsonscan.Reader) (count int) {
	if !enters(in, jsonscan.BeginArray) {
		return 0
	}
	for ; in.NextElement(); count++ {
		if count == 0 {
			m.readChoice(in)
		} else {
			in.Value()
		}
	}
	return count
}
