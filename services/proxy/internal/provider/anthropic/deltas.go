package anthropic

import "strconv"

// open begins a block, which may bring some of itself.
func (s *stream) open(b *block) {
	s.said = true
	s.kind = word(b.kind)
	s.blockAt = s.letters
	s.thought, s.signature = s.thought[:0], s.signature[:0]
	switch s.kind {
	case "text":
		s.text(b.text)
	case "thinking":
		s.think(b.thinking)
		s.sign(b.signature)
	case "redacted_thinking":
		if says(b.data) {
			s.out = append(s.out, chunkHead+`"reasoning_details":[`...)
			s.out = closed(appendHidden(s.out, s.thoughts, b.data), `]`+chunkTail)
			s.thoughts++
		}
	case "tool_use":
		s.call(b)
	}
}

func (s *stream) delta(b *block) {
	switch word(b.kind) {
	case "text_delta":
		s.text(b.text)
	case "thinking_delta":
		s.think(b.thinking)
	case "signature_delta":
		s.sign(b.signature)
	case "input_json_delta":
		s.argue(b.partial)
	case "citations_delta":
		s.cite(b.citation)
	}
}

func (s *stream) text(v []byte) {
	if says(v) {
		s.letters += letters(v)
		s.member("content", v)
	}
}

func (s *stream) think(v []byte) {
	if !says(v) {
		return
	}
	s.member("reasoning_content", v)
	if len(s.thought) <= maxThought {
		s.thought = appendJoined(s.thought, v)
	}
}

func (s *stream) sign(v []byte) {
	if says(v) {
		s.signature = append(s.signature[:0], v...)
	}
}

func (s *stream) cite(citation []byte) {
	from := len(s.out)
	s.out = append(s.out, chunkHead+`"annotations":[`...)
	empty := len(s.out)
	s.out = appendCitation(s.out, citation, s.blockAt, s.letters)
	if len(s.out) == empty {
		s.out = s.out[:from]
		return
	}
	s.out = closed(s.out, `]`+chunkTail)
}

// member is a chunk with one member that is a string.
func (s *stream) member(name string, v []byte) {
	s.out = append(s.out, chunkHead...)
	s.out = closed(appendMember(s.out, name, v), chunkTail)
}

func (s *stream) call(b *block) {
	s.argued = false
	s.input = append(s.input[:0], b.input...)
	s.beginCall(s.calls)
	if says(b.id) {
		s.out = appendMember(s.out, "id", b.id)
	}
	s.out = append(s.out, `"type":"function","function":{`...)
	if says(b.name) {
		s.out = appendMember(s.out, "name", s.names.back(b.name))
	}
	s.out = append(s.out, `"arguments":""}}]`+chunkTail...)
	s.calls++
}

func (s *stream) argue(v []byte) {
	if s.kind != "tool_use" || !says(v) {
		return
	}
	s.argued = true
	s.beginCall(s.calls - 1)
	s.out = append(s.out, `"function":{"arguments":`...)
	s.out = append(s.out, v...)
	s.out = append(s.out, `}}]`+chunkTail...)
}

// beginCall begins a chunk with a part of the call at the place.
func (s *stream) beginCall(at int) {
	s.out = append(s.out, chunkHead+`"tool_calls":[{"index":`...)
	s.out = append(strconv.AppendInt(s.out, int64(at), 10), ',')
}

// close ends a block: a call gets the arguments that did not come, and a
// thought is given together with its signature.
func (s *stream) close() {
	switch {
	case s.kind == "tool_use" && !s.argued:
		b := block{input: s.input}
		s.argue(b.arguments())
	case s.kind == "thinking" && len(s.signature) > 0 && len(s.thought) <= maxThought:
		words := []byte(`""`)
		if len(s.thought) > 0 {
			words = append(s.thought, '"')
		}
		s.out = append(s.out, chunkHead+`"reasoning_details":[`...)
		s.out = closed(appendThought(s.out, s.thoughts, words, s.signature), `]`+chunkTail)
		s.thoughts++
	}
	s.kind = ""
}

// finish tells why the message ends, and what it used.
func (s *stream) finish(b *block) {
	if isNull(b.stopReason) {
		s.out = append(s.out, `{"choices":[]`...)
	} else {
		s.out = append(s.out, chunkHead...)
		s.out = appendMember(s.out, "refusal", refusal(b))
		s.out = closed(s.out, `},"finish_reason":`+finishReason(b.stopReason)+`}]`)
	}
	if s.usage.seen && s.counted {
		s.out = s.usage.append(append(s.out, `,"usage":`...), true)
	}
	s.out = append(s.out, '}')
}
