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

// NewStream returns the translator of one stream.
func (r *responder) NewStream(o inbound.Options) inbound.Stream {
	return &stream{responder: r, options: o, live: noCall}
}
