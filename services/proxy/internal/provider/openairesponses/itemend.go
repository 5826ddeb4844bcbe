package openairesponses

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// endItem writes what the client does not have yet of a complete item: the entries of
// reasoning_details, and the content of an item that had no deltas.
func (s *streamTranslator) endItem(raw []byte) {
	item := parseItem(raw)
	switch stringValue(item.kind) {
	case itemReasoning:
		s.endReasoning(&item)
	case itemMessage:
		if !s.item().hasContent {
			s.writeWholeMessage(&item)
		}
	case itemFunctionCall, itemCustomCall:
		s.endCall(&item)
	}
}

func (s *streamTranslator) endReasoning(item *outputItem) {
	entries := appendDetails(nil, item, s.reasoningCount)
	s.reasoningCount++
	var text []byte
	if !s.item().hasContent {
		text = item.reasoningText(nil)
	}
	if len(entries)+len(text) == 0 {
		return
	}
	s.out = append(s.out, chunkHead...)
	if len(text) > 0 && s.hasReasoning {
		text = afterParagraph(text)
	}
	s.hasReasoning = s.hasReasoning || len(text) > 0
	s.out = appendOpenString(s.out, "reasoning_content", text)
	s.out = closeWith(appendArray(s.out, "reasoning_details", entries), chunkTail)
}

// writeWholeMessage writes a message that had no deltas.
func (s *streamTranslator) writeWholeMessage(item *outputItem) {
	var t responseTranslator
	t.addMessage(item)
	if len(t.content)+len(t.refusal) == 0 {
		return
	}
	if len(t.content) > 0 && s.hasText {
		t.content = afterParagraph(t.content)
	}
	s.hasText = s.hasText || len(t.content) > 0
	s.out = append(s.out, chunkHead...)
	s.out = appendOpenString(s.out, "content", t.content)
	s.out = closeWith(appendOpenString(s.out, "refusal", t.refusal), chunkTail)
}

// endCall writes the arguments of a call that had no deltas. The chunk also announces the call
// if that has not happened yet.
func (s *streamTranslator) endCall(item *outputItem) {
	state := s.item()
	switch {
	case state.hasContent:
	case state.callIndex >= 0:
		s.writeCallEnd(item, state)
	default:
		state.callIndex, state.hasContent = s.callCount, true
		s.callCount++
		s.beginCallDelta(state)
		s.out = closeWith(item.appendCall(s.out, item.callArguments()), `}]`+chunkTail)
	}
}

func (s *streamTranslator) writeCallEnd(item *outputItem, state *streamedItem) {
	state.hasContent = true
	bare := outputItem{kind: item.kind}
	s.beginCallDelta(state)
	s.out = closeWith(bare.appendCall(s.out, item.callArguments()), `}]`+chunkTail)
}

// isEnd reports whether an event is the last one of a stream.
func isEnd(name, data []byte) bool {
	if len(name) == 0 {
		name = jsonscan.DecodeString(jsonscan.Member(data, "type"))
	}
	switch string(name) {
	case "response.completed", "response.incomplete", "response.failed", "error":
		return true
	}
	return false
}
