package messages

import (
	"bytes"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

// responder translates the response to one request. It implements inbound.Responder.
type responder struct {
	names toolNames
	// showsThinking is set if the client requests thinking. Other clients do not expect
	// thinking blocks. hidesText is set if the client wants the blocks without their text.
	showsThinking, hidesText bool
	// stops is the array of the client's stop sequences.
	stops []byte
}

func (r *responder) setThinking(v []byte) {
	kind := stringValue(jsonscan.Member(v, "type"))
	r.showsThinking = kind == "enabled" || kind == "adaptive"
	r.hidesText = stringValue(jsonscan.Member(v, "display")) == "omitted"
}

func (r *responder) setStops(v []byte) { r.stops = v }

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

// stopReason returns the members stop_reason and stop_sequence as raw JSON.
func (r *responder) stopReason(m *chatMessage, hasRefusal bool) (reason string, sequence []byte) {
	switch finish := stringValue(m.finishReason); {
	case finish == "content_filter" || hasRefusal:
		return `"refusal"`, nil
	case finish == "length":
		return `"max_tokens"`, nil
	case finish == "tool_calls" || finish == "function_call":
		return `"tool_use"`, nil
	}
	if hasText(m.stopText) {
		for stop := range jsonscan.Elements(r.stops) {
			if bytes.Equal(jsonscan.DecodeString(stop), jsonscan.DecodeString(m.stopText)) {
				return `"stop_sequence"`, stop
			}
		}
	}
	return `"end_turn"`, nil
}

// appendStop appends the members stop_reason and stop_sequence.
func (r *responder) appendStop(dst []byte, m *chatMessage, hasRefusal bool) []byte {
	reason, sequence := r.stopReason(m, hasRefusal)
	dst = appendMember(dst, "stop_reason", []byte(reason))
	if sequence == nil {
		return append(dst, `"stop_sequence":null,`...)
	}
	return appendMember(dst, "stop_sequence", sequence)
}

// FromChat translates a complete response.
func (r *responder) FromChat(body []byte, o inbound.Options) ([]byte, error) {
	var m chatMessage
	var u usage
	var in jsonscan.Reader
	in.Reset(body, true)
	choices := readChat(&in, &m, &u)
	if in.CheckEnd() != nil || choices == 0 {
		return nil, upstreamerror.InvalidResponse("no choices")
	}
	return r.appendResponse(make([]byte, 0, len(body)+256), &m, &u, o), nil
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

func (r *responder) appendResponse(dst []byte, m *chatMessage, u *usage, o inbound.Options) []byte {
	dst = appendHead(append(dst, '{'), o)
	dst = append(dst, `"content":[`...)
	dst = r.appendBlocks(dst, m)
	dst = closeWith(dst, "],")
	dst = r.appendStop(dst, m, hasText(m.refusal))
	return closeWith(u.appendMember(dst), "}")
}

// appendHead appends the members that identify a message.
func appendHead(dst []byte, o inbound.Options) []byte {
	dst = appendString(dst, "id", "msg_"+o.ID)
	dst = append(dst, `"type":"message","role":"assistant",`...)
	return appendString(dst, "model", o.Model)
}

func (r *responder) appendBlocks(dst []byte, m *chatMessage) []byte {
	details := trimBrackets(m.details)
	if r.showsThinking && (hasText(m.reasoning) || len(details) > 0) {
		dst = append(dst, `{"type":"thinking","thinking":"`...)
		if !r.hidesText {
			dst = append(dst, inner(m.reasoning)...)
		}
		dst = append(dst, `","signature":`...)
		dst = append(appendSignature(dst, inner(m.reasoning), details, r.hidesText), "},"...)
	}
	for _, text := range [][]byte{m.content, m.refusal} {
		if hasText(text) {
			dst = closeWith(appendMember(append(dst, `{"type":"text",`...), "text", text), "},")
		}
	}
	for call := range jsonscan.Elements(m.calls) {
		dst = r.appendToolUse(dst, call)
	}
	return dst
}

func (r *responder) appendToolUse(dst, call []byte) []byte {
	function := jsonscan.Member(call, "function")
	dst = appendMember(append(dst, `{"type":"tool_use",`...), "id", toClientID(jsonscan.Member(call, "id")))
	dst = appendMember(dst, "name", r.names.toClient(jsonscan.Member(function, "name")))
	dst = appendMember(dst, "input", toInput(jsonscan.Member(function, "arguments")))
	return closeWith(dst, "},")
}

// toInput returns the arguments of a call as an object. Arguments that are not a valid object
// become the member "arguments" of a new object, so that the client rejects the call and
// tells the model.
func toInput(arguments []byte) []byte {
	text := bytes.TrimSpace(jsonscan.DecodeString(arguments))
	switch {
	case len(text) == 0:
		return []byte("{}")
	case text[0] == '{' && jsonscan.Valid(text):
		return text
	}
	return append(append([]byte(`{"arguments":`), arguments...), '}')
}

// NewStream returns the translator of one stream.
func (r *responder) NewStream(o inbound.Options) inbound.Stream {
	return &stream{responder: r, options: o, live: noCall}
}
