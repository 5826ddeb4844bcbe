package anthropic

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// startBlock starts a content block. The block may already contain some of its content.
func (s *streamTranslator) startBlock(b *contentBlock) {
	s.hasBlocks = true
	s.blockKind = stringValue(b.kind)
	s.blockStart = s.textLen
	s.thinkingText, s.signature = s.thinkingText[:0], s.signature[:0]
	switch s.blockKind {
	case "text":
		s.writeText(b.text)
	case "thinking":
		s.writeThinking(b.thinking)
		s.storeSignature(b.signature)
	case "redacted_thinking":
		if hasText(b.data) {
			s.out = append(s.out, chunkHead+`"reasoning_details":[`...)
			s.out = closeWith(appendEncryptedDetail(s.out, s.thinkingCount, b.data), `]`+chunkTail)
			s.thinkingCount++
		}
	case "tool_use":
		s.startToolCall(b)
	}
}

func (s *streamTranslator) addDelta(b *contentBlock) {
	switch stringValue(b.kind) {
	case "text_delta":
		s.writeText(b.text)
	case "thinking_delta":
		s.writeThinking(b.thinking)
	case "signature_delta":
		s.storeSignature(b.signature)
	case "input_json_delta":
		s.writeArguments(b.partialJSON)
	case "citations_delta":
		s.writeCitation(b.citation)
	}
}

func (s *streamTranslator) writeText(v []byte) {
	if hasText(v) {
		s.textLen += estimateRunes(v)
		s.writeDelta("content", v)
	}
}

func (s *streamTranslator) writeThinking(v []byte) {
	if !hasText(v) {
		return
	}
	s.writeDelta("reasoning_content", v)
	if len(s.thinkingText) <= maxThinkingBytes {
		s.thinkingText = appendString(s.thinkingText, v)
	}
}

func (s *streamTranslator) storeSignature(v []byte) {
	if hasText(v) {
		s.signature = append(s.signature[:0], v...)
	}
}

func (s *streamTranslator) writeCitation(citation []byte) {
	from := len(s.out)
	s.out = append(s.out, chunkHead+`"annotations":[`...)
	empty := len(s.out)
	s.out = appendCitation(s.out, citation, s.blockStart, s.textLen)
	if len(s.out) == empty {
		s.out = s.out[:from]
		return
	}
	s.out = closeWith(s.out, `]`+chunkTail)
}

// writeDelta writes a chunk whose delta has one string member.
func (s *streamTranslator) writeDelta(name string, v []byte) {
	s.out = append(s.out, chunkHead...)
	s.out = closeWith(appendMember(s.out, name, v), chunkTail)
}

func (s *streamTranslator) startToolCall(b *contentBlock) {
	s.hasArguments = false
	s.initialInput = append(s.initialInput[:0], b.input...)
	s.startCallDelta(s.callCount)
	if hasText(b.id) {
		s.out = appendMember(s.out, "id", b.id)
	}
	s.out = append(s.out, `"type":"function","function":{`...)
	if hasText(b.name) {
		s.out = appendMember(s.out, "name", s.names.toClient(b.name))
	}
	s.out = append(s.out, `"arguments":""}}]`+chunkTail...)
	s.callCount++
}

func (s *streamTranslator) writeArguments(v []byte) {
	if s.blockKind != "tool_use" || !hasText(v) {
		return
	}
	s.hasArguments = true
	s.startCallDelta(s.callCount - 1)
	s.out = append(s.out, `"function":{"arguments":`...)
	s.out = append(s.out, v...)
	s.out = append(s.out, `}}]`+chunkTail...)
}

// startCallDelta writes the start of a chunk for the tool call with the given index.
func (s *streamTranslator) startCallDelta(index int) {
	s.out = appendNumber(append(s.out, chunkHead+`"tool_calls":[{`...), "index", index)
}

// endBlock ends the open block. If a tool call had no argument deltas, it writes the input
// from the start of the call, or an empty object. For thinking with a signature, it writes
// an entry of reasoning_details with the text and the signature, unless the text is longer
// than maxThinkingBytes.
func (s *streamTranslator) endBlock() {
	switch {
	case s.blockKind == "tool_use" && !s.hasArguments:
		b := contentBlock{input: s.initialInput}
		s.writeArguments(b.argumentsString())
	case s.blockKind == "thinking" && len(s.signature) > 0 && len(s.thinkingText) <= maxThinkingBytes:
		text := []byte(`""`)
		if len(s.thinkingText) > 0 {
			text = append(s.thinkingText, '"')
		}
		s.out = append(s.out, chunkHead+`"reasoning_details":[`...)
		s.out = closeWith(appendTextDetail(s.out, s.thinkingCount, text, s.signature), `]`+chunkTail)
		s.thinkingCount++
	}
	s.blockKind = ""
}

// finishMessage writes a chunk with the finish reason and the usage. It omits what the
// upstream did not report.
func (s *streamTranslator) finishMessage(b *contentBlock) {
	if jsonscan.IsNull(b.stopReason) {
		s.out = append(s.out, `{"choices":[]`...)
	} else {
		s.out = append(s.out, chunkHead...)
		s.out = appendMember(s.out, "refusal", refusalText(b))
		s.out = closeWith(s.out, `},"finish_reason":`+toFinishReason(b.stopReason)+`}]`)
	}
	if s.usage.HasAny && s.hasFinalUsage {
		s.out = s.usage.appendUsage(append(s.out, `,"usage":`...), true)
	}
	s.out = append(s.out, '}')
}
