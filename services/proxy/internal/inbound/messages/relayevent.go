package messages

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

// valueSpan is the range of a value in a text. It is empty if to is 0.
type valueSpan struct{ from, to int }

// relayEvent holds what the relay needs from one event.
type relayEvent struct {
	kind, blockKind, stopReason []byte
	// blockName is the name of the tool that a block calls.
	blockName []byte
	model     valueSpan
	isError   bool
}

// readEvent reads an event and updates the state of the relay.
func (r *relay) readEvent(payload []byte) error {
	in := &r.in
	r.event = relayEvent{}
	e := &r.event
	in.Reset(payload, true)
	if !in.Enter(jsonscan.BeginObject) {
		return upstreamerror.InvalidResponse("an event is not a JSON object")
	}
	for in.NextMember() {
		switch string(in.Name()) {
		case "type":
			e.kind = in.Value()
		case "message":
			r.readMessageStart()
		case "content_block":
			r.readBlock(true)
			r.usage.noteServerTool(e.blockKind, e.blockName)
		case "delta":
			r.readBlock(false)
		case "usage":
			if v := in.Value(); isObject(v) {
				r.usage.HasOutput = false // the count of message_start is a placeholder
				r.usage.read(v)
				r.hasFinalUsage = r.hasFinalUsage || r.usage.HasOutput
			}
		case "error":
			e.isError = !jsonscan.IsEmptyOrFalse(in.Value())
		default:
			in.Value()
		}
	}
	if in.CheckEnd() != nil {
		return upstreamerror.InvalidResponse("an event is not valid JSON")
	}
	r.updateState()
	return nil
}

// updateState sets the flags of the stream. A block without content, such as an empty text,
// does not start the response: until then another upstream can take over.
func (r *relay) updateState() {
	e := &r.event
	switch string(e.kind) {
	case `"content_block_start"`:
		r.started = r.started || r.textBytes > 0 || string(e.blockKind) != `"text"` && string(e.blockKind) != `"thinking"`
	case `"content_block_delta"`:
		r.started = true
	case `"message_delta"`:
		r.finished = r.finished || hasText(e.stopReason)
		r.started = r.started || r.finished
	case `"message_stop"`:
		r.started, r.stopped = true, true
	case `"error"`:
		e.isError = true
	}
}

func (r *relay) readMessageStart() {
	in := &r.in
	if !enters(in, jsonscan.BeginObject) {
		return
	}
	for in.NextMember() {
		name := string(in.Name())
		v := in.Value()
		switch name {
		case "model":
			r.event.model = valueSpan{in.Offset() - len(v), in.Offset()}
		case "usage":
			r.usage.read(v)
		}
	}
}

// readBlock reads a content block or a delta and counts its text.
func (r *relay) readBlock(isStart bool) {
	in := &r.in
	if !enters(in, jsonscan.BeginObject) {
		return
	}
	for in.NextMember() {
		switch string(in.Name()) {
		case "type":
			if v := in.Value(); isStart {
				r.event.blockKind = v
			}
		case "name":
			r.event.blockName = in.Value()
		case "text", "thinking", "partial_json":
			r.textBytes += jsonscan.DecodedLen(in.Value())
		case "stop_reason":
			r.event.stopReason = in.Value()
		default:
			in.Value()
		}
	}
}
