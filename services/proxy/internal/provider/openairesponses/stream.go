package openairesponses

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/usagereport"
)

// streamTranslator translates the events of one stream into chunks, one by one.
type streamTranslator struct {
	in      jsonscan.Reader
	current streamEvent
	started bool
	// items holds the state of the items so far, by output index. callCount counts the tool
	// calls, and reasoningCount the reasoning items.
	items                     map[int64]*streamedItem
	callCount, reasoningCount int
	// hasText is set after the first text, hasReasoning after the first reasoning.
	hasText, hasReasoning bool
	isComplete            bool
	out                   []byte
}

// streamedItem is what the client already has of an item.
type streamedItem struct {
	// callIndex is the position of a call among the tool calls. It is -1 for other items.
	callIndex int
	// hasContent is set after the first delta.
	hasContent bool
}

// streamEvent holds the members of one event, as raw JSON.
type streamEvent struct {
	kind, delta, item, response, annotation, logprobs []byte
	failure, code, message, param                     []byte
	outputIndex                                       int64
}

const (
	chunkHead = `{"choices":[{"index":0,"delta":{`
	chunkTail = `}}]}`
)

// translateEvent returns the chunk for an event, or nothing if the event has none. The chunk
// is valid until the next call. An event that reports an error is returned as an error object,
// because package upstreamerror classifies errors. translateEvent fails with
// PROVIDER_INVALID_RESPONSE if the event cannot be parsed.
func (s *streamTranslator) translateEvent(name, data []byte) ([]byte, error) {
	if err := s.readEvent(data); err != nil {
		return nil, err
	}
	s.out = s.out[:0]
	e := &s.current
	kind := jsonscan.DecodeString(e.kind)
	if len(kind) == 0 {
		kind = name
	}
	switch string(kind) {
	case "response.created", "response.queued", "response.in_progress":
		s.start()
	case "response.output_text.delta":
		s.writeText(e.delta)
	case "response.refusal.delta":
		s.writeDelta("refusal", e.delta)
	case "response.reasoning_summary_part.added":
		s.startReasoningPart()
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		s.writeReasoning(e.delta)
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		s.writeArguments(e.delta)
	case "response.output_text.annotation.added":
		s.writeAnnotation(e.annotation)
	case "response.output_item.added":
		s.startItem(e.item)
	case "response.output_item.done":
		s.endItem(e.item)
	case "response.completed", "response.incomplete", "response.failed":
		return s.finish(e.response), nil
	case "error":
		return s.errorEvent(), nil
	case "":
		if !isEmpty(e.failure) {
			return s.errorEvent(), nil
		}
	}
	return s.out, nil
}

func (s *streamTranslator) readEvent(data []byte) error {
	r := &s.in
	s.current = streamEvent{}
	r.Reset(data, true)
	if !r.Enter(jsonscan.BeginObject) {
		return invalidResponseError("an event is not a JSON object")
	}
	for r.NextMember() {
		s.readMember()
	}
	if r.CheckEnd() != nil {
		return invalidResponseError("an event is not valid JSON")
	}
	return nil
}

func (s *streamTranslator) readMember() {
	e := &s.current
	to := findField(string(s.in.Name()), field{"type", &e.kind}, field{"delta", &e.delta}, field{"item", &e.item},
		field{"response", &e.response}, field{"annotation", &e.annotation}, field{"logprobs", &e.logprobs},
		field{"error", &e.failure}, field{"code", &e.code}, field{"message", &e.message}, field{"param", &e.param})
	isIndex := string(s.in.Name()) == "output_index"
	v := s.in.Value()
	switch {
	case isIndex:
		e.outputIndex, _ = jsonscan.ParseInteger(v)
	case to != nil:
		*to = v
	}
}

// start writes the first chunk, once.
func (s *streamTranslator) start() {
	if !s.started {
		s.started = true
		s.out = append(s.out, chunkHead+`"role":"assistant","content":""`+chunkTail...)
	}
}

// finish writes the last chunk: the finish reason and the usage. A failed response becomes an
// error object.
func (s *streamTranslator) finish(raw []byte) []byte {
	r := parseResponse(raw)
	s.isComplete = true
	if r.failed() {
		return r.errorBody()
	}
	s.out = append(s.out, chunkHead+`},"finish_reason":`...)
	s.out = append(append(s.out, finishReason(&r, s.callCount > 0)...), "}],"...)
	s.out = appendMember(s.out, "service_tier", r.serviceTier)
	s.out = closeWith(appendMember(s.out, "usage", usagereport.ResponsesToChat(r.usage)), "}")
	return s.out
}

// errorEvent returns the current event in a form that package normalize recognizes as an error.
func (s *streamTranslator) errorEvent() []byte {
	e := &s.current
	if isObject(e.failure) {
		return append(append(append(s.out[:0], `{"error":`...), e.failure...), '}')
	}
	dst := appendMember(append(s.out[:0], `{"error":{`...), "message", stringOrEmpty(e.message))
	return closeWith(appendMember(appendMember(dst, "code", e.code), "param", e.param), "}}")
}
