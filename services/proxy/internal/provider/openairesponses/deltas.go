package openairesponses

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// maxStreamedItems limits the items of a stream that are tracked. Package normalize limits the
// tool calls of a response to fewer.
const maxStreamedItems = 4096

// item returns the state of the current event's item.
func (s *streamTranslator) item() *streamedItem {
	if item, ok := s.items[s.current.outputIndex]; ok {
		return item
	}
	item := &streamedItem{callIndex: -1}
	if s.items == nil {
		s.items = map[int64]*streamedItem{}
	}
	if len(s.items) < maxStreamedItems {
		s.items[s.current.outputIndex] = item
	}
	return item
}

// writeDelta writes a chunk whose delta has one string member.
func (s *streamTranslator) writeDelta(name string, v []byte) {
	if !hasText(v) {
		return
	}
	s.item().hasContent = true
	s.out = append(s.out, chunkHead...)
	s.out = closeWith(appendMember(s.out, name, v), chunkTail)
}

// writeText writes a piece of the text. A paragraph separates the texts of two messages.
func (s *streamTranslator) writeText(v []byte) {
	if !hasText(v) {
		return
	}
	if item := s.item(); !item.hasContent && s.hasText {
		v = afterParagraph(v)
	}
	s.hasText = true
	if isEmpty(s.current.logprobs) {
		s.writeDelta("content", v)
		return
	}
	s.item().hasContent = true
	s.out = append(s.out, chunkHead...)
	s.out = closeWith(appendMember(s.out, "content", v), `},"logprobs":{"content":`)
	s.out = append(append(s.out, s.current.logprobs...), "}}]}"...)
}

// startReasoningPart separates a part of the reasoning from the part before it.
func (s *streamTranslator) startReasoningPart() {
	if s.hasReasoning {
		s.writeDelta("reasoning_content", []byte(`"`+paragraph+`"`))
	}
}

// writeReasoning writes a piece of the reasoning. A paragraph separates the texts of two items.
func (s *streamTranslator) writeReasoning(v []byte) {
	if !hasText(v) {
		return
	}
	if !s.item().hasContent && s.hasReasoning {
		v = afterParagraph(v)
	}
	s.hasReasoning = true
	s.writeDelta("reasoning_content", v)
}

func (s *streamTranslator) writeAnnotation(annotation []byte) {
	from := len(s.out)
	s.out = append(s.out, chunkHead+`"annotations":[`...)
	empty := len(s.out)
	if s.out = appendAnnotation(s.out, annotation); len(s.out) == empty {
		s.out = s.out[:from]
		return
	}
	s.out = closeWith(s.out, `]`+chunkTail)
}

// startItem announces a tool call. Other items need no announcement.
func (s *streamTranslator) startItem(raw []byte) {
	if item := parseItem(raw); item.isCall() {
		s.startCall(&item)
	}
}

func (s *streamTranslator) startCall(item *outputItem) *streamedItem {
	state := s.item()
	if state.callIndex >= 0 {
		return state
	}
	state.callIndex = s.callCount
	s.callCount++
	s.beginCallDelta(state)
	s.out = closeWith(item.appendCall(s.out, []byte(`""`)), `}]`+chunkTail)
	return state
}

// beginCallDelta writes the start of a chunk for a tool call.
func (s *streamTranslator) beginCallDelta(state *streamedItem) {
	s.out = appendNumber(append(s.out, chunkHead+`"tool_calls":[{`...), "index", state.callIndex)
}

// writeArguments writes a piece of the arguments of a call. Pieces that come before the call is
// announced are ignored: the end of the item contains all arguments.
func (s *streamTranslator) writeArguments(v []byte) {
	state := s.item()
	if !hasText(v) || state.callIndex < 0 {
		return
	}
	state.hasContent = true
	s.beginCallDelta(state)
	if string(jsonscan.DecodeString(s.current.kind)) == "response.custom_tool_call_input.delta" {
		s.out = append(s.out, `"custom":{"input":`...)
	} else {
		s.out = append(s.out, `"function":{"arguments":`...)
	}
	s.out = append(append(s.out, v...), `}}]`+chunkTail...)
}
