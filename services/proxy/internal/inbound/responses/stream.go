package responses

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
)

// stream implements inbound.Stream. At most one reasoning or message item is open at a time.
// Calls stay open until the end, because the fragments of parallel calls may alternate.
type stream struct {
	responder *responder
	options   inbound.Options
	sequence  int64
	started   bool
	chunk     chatChunk
	items     []*outputItem
	// open is the open reasoning or message item, or nil. calls maps the indexes of a chat's
	// tool calls to their items.
	open  *outputItem
	calls map[int]*outputItem
	// lateDetails are reasoning details that arrived while no reasoning item was open.
	lateDetails []byte
	finish      jsontext.Value
	usage       []byte
	serviceTier jsontext.Value
}

// NewStream implements inbound.Responder.
func (p *responder) NewStream(o inbound.Options) inbound.Stream {
	return &stream{responder: p, options: o, calls: map[int]*outputItem{}}
}

// AppendChunk implements inbound.Stream.
func (s *stream) AppendChunk(dst, chunk []byte) ([]byte, error) {
	c := &s.chunk
	if err := c.parse(chunk); err != nil {
		return dst, err
	}
	dst = s.appendStart(dst)
	dst = s.appendReasoningDelta(dst, c)
	dst = s.appendTextDelta(dst, c)
	if hasText(c.refusal) {
		dst = s.appendRefusalDelta(dst, c.refusal)
	}
	for i := range c.calls {
		dst = s.appendCallDelta(dst, &c.calls[i])
	}
	if !jsonscan.IsNull(c.finish) {
		s.finish = append(s.finish[:0], c.finish...)
	}
	if isObject(c.usage) {
		s.usage = appendUsage(s.usage[:0], c.usage)
	}
	if hasText(c.serviceTier) {
		s.serviceTier = append(s.serviceTier[:0], c.serviceTier...)
	}
	return dst, nil
}

// appendStart appends the first two events, once.
func (s *stream) appendStart(dst []byte) []byte {
	if s.started {
		return dst
	}
	s.started = true
	for _, event := range []string{"response.created", "response.in_progress"} {
		dst = s.appendResponseEvent(dst, event, responseState{status: statusInProgress})
	}
	return dst
}

func (s *stream) appendReasoningDelta(dst []byte, c *chatChunk) []byte {
	if hasText(c.reasoning) {
		dst = s.openItem(dst, reasoningItem)
		if len(s.open.text) == 0 {
			dst = s.appendSummaryPartAdded(dst)
		}
		s.open.text = append(s.open.text, escapedText(c.reasoning)...)
		dst = s.beginItemEvent(dst, "response.reasoning_summary_text.delta", s.open)
		dst = appendMember(append(dst, `,"summary_index":0`...), "delta", c.reasoning)
		dst = endEvent(dst)
	}
	return s.addDetails(dst, c.details)
}

// addDetails adds reasoning details to the open reasoning item. Details that arrive after
// other output become part of a reasoning item at the end.
func (s *stream) addDetails(dst []byte, details jsontext.Value) []byte {
	entries := appendDetails(nil, details)
	if len(entries) == 0 {
		return dst
	}
	if s.open == nil && len(s.items) == 0 {
		dst = s.openItem(dst, reasoningItem)
	}
	if s.open != nil && s.open.kind == reasoningItem {
		s.open.details = append(s.open.details, entries...)
	} else {
		s.lateDetails = append(s.lateDetails, entries...)
	}
	return dst
}

func (s *stream) appendTextDelta(dst []byte, c *chatChunk) []byte {
	if !hasText(c.content) && !s.hasOpenText() {
		return dst
	}
	if hasText(c.content) {
		var part *messagePart
		dst, part = s.openPart(dst, false)
		part.text = append(part.text, escapedText(c.content)...)
		part.logprobs = appendElements(part.logprobs, c.logprobs)
		dst = s.beginPartEvent(dst, "response.output_text.delta")
		dst = appendMember(dst, "delta", c.content)
		dst = endEvent(appendMemberOr(dst, "logprobs", c.logprobs, "[]"))
	}
	for annotation := range jsonscan.Elements(c.annotations) {
		dst = s.appendAnnotationEvent(dst, annotation)
	}
	return dst
}

func (s *stream) appendRefusalDelta(dst []byte, text jsontext.Value) []byte {
	dst, part := s.openPart(dst, true)
	part.text = append(part.text, escapedText(text)...)
	dst = s.beginPartEvent(dst, "response.refusal.delta")
	return endEvent(appendMember(dst, "delta", text))
}

// appendCallDelta appends the events for a fragment of a tool call. The input of a custom tool
// is sent at the end, because it is part of a JSON object.
func (s *stream) appendCallDelta(dst []byte, call *chatCall) []byte {
	it := s.calls[call.index]
	if it == nil {
		dst = s.closeOpenItem(dst)
		it = newItem(functionCallItem, len(s.items), s.options)
		it.status = statusInProgress
		s.responder.setCall(it, call, s.options)
		s.items = append(s.items, it)
		s.calls[call.index] = it
		dst = s.appendItemEvent(dst, "response.output_item.added", it)
	}
	s.lateDetails = appendCallEntry(s.lateDetails, it.callID, call.extra)
	if !hasText(call.arguments) {
		return dst
	}
	it.text = append(it.text, escapedText(call.arguments)...)
	if it.kind == customCallItem {
		return dst
	}
	dst = s.beginItemEvent(dst, "response.function_call_arguments.delta", it)
	return endEvent(appendMember(dst, "delta", call.arguments))
}
