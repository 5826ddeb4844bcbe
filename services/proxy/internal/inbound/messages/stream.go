package messages

import (
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

// stream translates the chunks of one chat into the events of a message. In a message only
// one block is open at a time. If a chat mixes the fragments of several tool calls, the
// fragments of the later calls wait.
type stream struct {
	responder *responder
	options   inbound.Options
	in        jsonscan.Reader
	// current is the chunk being translated. last holds its final values: the finish reason
	// and the stop sequence.
	current, last chatMessage
	usage         usage
	started       bool
	hasRefusal    bool
	// openBlock is the kind of the open block, or "". blocks counts the blocks so far.
	openBlock string
	blocks    int
	// hasOutput is set once there is a text or a tool call.
	hasOutput bool

	thinking thinkingState
	calls    []streamCall
	// live is the position in calls of the call whose block is open or comes next.
	live int
	// heldText is text that arrived in the middle of a call, still escaped.
	heldText []byte
	scratch  []byte
	out      []byte
}

const (
	blockText     = "text"
	blockThinking = "thinking"
	blockToolUse  = "tool_use"
)

// AppendChunk appends the events for one chunk.
func (s *stream) AppendChunk(dst, chunk []byte) ([]byte, error) {
	if err := s.readChunk(chunk); err != nil {
		return dst, err
	}
	s.out = dst
	s.start()
	s.addReasoning(s.current.reasoning, s.current.details)
	s.addText(s.current.content)
	if hasText(s.current.refusal) {
		s.hasRefusal = true
		s.addText(s.current.refusal)
	}
	if s.current.calls != nil {
		for call := range jsonscan.Elements(s.current.calls) {
			s.addCallFragment(call)
		}
	}
	return s.takeOutput(), nil
}

func (s *stream) takeOutput() []byte {
	out := s.out
	s.out = nil
	return out
}

func (s *stream) readChunk(chunk []byte) error {
	r := &s.in
	s.current = chatMessage{}
	r.Reset(chunk, true)
	if r.PeekKind() != jsonscan.BeginObject {
		return upstreamerror.InvalidResponse("a chunk is not a JSON object")
	}
	readChat(r, &s.current, &s.usage)
	if r.CheckEnd() != nil {
		return upstreamerror.InvalidResponse("a chunk is not valid JSON")
	}
	if hasText(s.current.finishReason) {
		s.last.finishReason = append(s.last.finishReason[:0], s.current.finishReason...)
	}
	if hasText(s.current.stopText) {
		s.last.stopText = append(s.last.stopText[:0], s.current.stopText...)
	}
	return nil
}

// start writes message_start. It contains the usage as far as it is known. message_delta
// contains the final usage.
func (s *stream) start() {
	if s.started {
		return
	}
	s.started = true
	s.beginEvent("message_start")
	s.out = appendHead(append(s.out, `"message":{`...), s.options)
	s.out = append(s.out, `"content":[],"stop_reason":null,"stop_sequence":null,`...)
	s.out = closeWith(s.usage.appendMember(s.out), "}")
	s.endEvent()
}

func (s *stream) addText(v []byte) {
	if !hasText(v) {
		return
	}
	if s.openBlock != blockText && !s.prepareText() {
		s.heldText = append(s.heldText, inner(v)...)
		return
	}
	s.writeDelta("text_delta", "text", inner(v))
}

// prepareText opens a text block. It returns false if a tool call is not complete yet.
func (s *stream) prepareText() bool {
	if s.live != noCall && !s.endLiveCall() {
		return false
	}
	s.flushDetails()
	s.openText()
	return true
}

// openText opens a text block and writes the text that waited for it.
func (s *stream) openText() {
	s.closeBlock()
	s.openBlockOf(blockText, `,"text":""`)
	if len(s.heldText) > 0 {
		s.writeDelta("text_delta", "text", s.heldText)
		s.heldText = s.heldText[:0]
	}
}

// AppendEnd appends the rest of the open blocks, message_delta and message_stop.
func (s *stream) AppendEnd(dst []byte) []byte {
	s.out = dst
	s.start()
	s.endCalls()
	if len(s.heldText) > 0 {
		s.openText()
	}
	// Agents expect that a message ends with its text or its calls. So details at the very
	// end, which no vendor requires, are lost.
	if !s.hasOutput {
		s.flushDetails()
	}
	s.closeBlock()
	s.beginEvent("message_delta")
	s.out = s.responder.appendStop(append(s.out, `"delta":{`...), &s.last, s.hasRefusal)
	s.out = closeWith(s.out, "},")
	s.out = s.usage.appendMember(s.out)
	s.endEvent()
	s.out = append(s.out, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"...)
	return s.takeOutput()
}

// AppendError appends an error event.
func (s *stream) AppendError(dst []byte, e *apperr.Error, o apperr.Options) []byte {
	return appendErrorEvent(dst, e, o)
}
