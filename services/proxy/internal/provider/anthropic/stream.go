package anthropic

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// maxThinkingBytes limits the thinking text that is buffered until its signature arrives.
// Longer thinking gets no entry in reasoning_details. Models write much less.
const maxThinkingBytes = 4 << 20

// streamTranslator translates the events of one stream into chunks, one by one. It sends
// thinking without delay, and also stores its text until the signature arrives. The client
// needs the text and the signature in one entry of reasoning_details.
type streamTranslator struct {
	names   *toolNames
	in      jsonscan.Reader
	current streamEvent
	// id is the id of the message. started is set once the message has started.
	// hasBlocks is set once a block has started.
	id                 []byte
	started, hasBlocks bool
	usage              usage
	// hasFinalUsage is set once an event other than message_start has reported the usage.
	// message_start does not contain the final output count.
	hasFinalUsage bool
	// blockKind is the type of the open block. callCount is the number of tool calls so
	// far. thinkingCount is the number of entries in reasoning_details so far.
	blockKind                string
	callCount, thinkingCount int
	// hasArguments is set once the open tool call has arguments. initialInput is the input
	// from the start of the tool call.
	hasArguments            bool
	initialInput            []byte
	thinkingText, signature []byte
	// textLen counts the characters of text so far. blockStart is the value of textLen at
	// the start of the open block.
	textLen, blockStart int
	isComplete          bool
	out                 []byte
}

// streamEvent is the content of one event.
type streamEvent struct {
	kind, id          []byte
	startBlock, delta contentBlock
	hasError          bool
}

const (
	chunkHead = `{"choices":[{"index":0,"delta":{`
	chunkTail = `}}]}`
)

// translateEvent returns the chunk for an event, or nothing if the event has none. The
// chunk is valid until the next call. An event that reports an error is returned as an
// error object, because package upstreamerror classifies errors. translateEvent fails with
// PROVIDER_INVALID_RESPONSE if the event cannot be parsed or starts a second message.
func (s *streamTranslator) translateEvent(name, data []byte) ([]byte, error) {
	if err := s.readEvent(data); err != nil {
		return nil, err
	}
	s.out = s.out[:0]
	kind := s.current.kind
	if len(kind) == 0 {
		kind = name
	}
	switch string(kind) {
	case "message_start":
		return s.startMessage()
	case "content_block_start":
		s.startBlock(&s.current.startBlock)
	case "content_block_delta":
		s.addDelta(&s.current.delta)
	case "content_block_stop":
		s.endBlock()
	case "message_delta":
		s.finishMessage(&s.current.delta)
	case "message_stop":
		s.isComplete = true
	case "error":
		return s.errorEvent(data), nil
	}
	if s.current.hasError {
		return s.errorEvent(data), nil
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
		switch string(r.Name()) {
		case "type":
			s.current.kind = jsonscan.DecodeString(r.Value())
		case "message":
			s.readMessageStart(r.Value())
		case "content_block":
			s.current.startBlock.readFrom(r)
		case "delta":
			s.current.delta.readFrom(r)
		case "usage":
			s.usage.read(r.Value())
			s.hasFinalUsage = true
		case "error":
			s.current.hasError = !jsonscan.IsNull(r.Value())
		default:
			r.Value()
		}
	}
	if r.CheckEnd() != nil {
		return invalidResponseError("an event is not valid JSON")
	}
	return nil
}

func (s *streamTranslator) readMessageStart(message []byte) {
	s.current.id = jsonscan.DecodeString(jsonscan.Member(message, "id"))
	s.usage.read(jsonscan.Member(message, "usage"))
}

// startMessage starts the message. It ignores a repeated start, which some upstreams send.
// It fails if another message starts after the first content block.
func (s *streamTranslator) startMessage() ([]byte, error) {
	if s.hasBlocks && string(s.id) != string(s.current.id) {
		return nil, invalidResponseError("a second message started before the first one ended")
	}
	s.id = append(s.id[:0], s.current.id...)
	if s.started {
		return nil, nil
	}
	s.started = true
	s.out = append(s.out, chunkHead+`"role":"assistant","content":""`...)
	if !s.usage.HasInput {
		return append(s.out, chunkTail...), nil
	}
	// Report the input now, because the upstream charges for it even if the stream breaks
	// off.
	s.out = append(s.out, `}}],"usage":`...)
	return append(s.usage.appendUsage(s.out, false), '}'), nil
}

// errorEvent returns an event in a form that package normalize recognizes as an error.
func (s *streamTranslator) errorEvent(data []byte) []byte {
	if s.current.hasError {
		return data
	}
	return append(append(append(s.out[:0], `{"error":`...), data...), '}')
}
