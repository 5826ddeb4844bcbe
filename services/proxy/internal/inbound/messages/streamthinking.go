package messages

import (
	"bytes"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// maxThinkingBytes limits the reasoning that is stored until its block ends. Longer reasoning
// is shown, but its details are not part of the signature. Models write much less.
const maxThinkingBytes = 4 << 20

// thinkingState collects the reasoning of a chat for the signature of the next thinking
// block.
type thinkingState struct {
	// text is the text of the open block, still escaped. details holds entries of
	// reasoning_details, except the last one if more of its text may follow.
	text, details []byte
	// tail is that last entry: its text, still escaped, its signature, and its other members.
	tailText, tailSignature, tailMembers, tailIndex []byte
	hasTail, isTooLong                              bool
}

func (s *stream) addReasoning(text, details []byte) {
	if !s.responder.showsThinking {
		return
	}
	if hasText(text) && (s.live == noCall || s.endLiveCall()) {
		if s.openBlock != blockThinking {
			s.closeBlock()
			s.openBlockOf(blockThinking, `,"thinking":"","signature":""`)
		}
		if !s.responder.hidesText {
			s.writeDelta("thinking_delta", "thinking", inner(text))
		}
		s.thinking.addText(inner(text))
	}
	if details == nil {
		return
	}
	for entry := range jsonscan.Elements(details) {
		s.thinking.addDetail(entry)
	}
}

// flushDetails writes a thinking block without text if there are details and no thinking
// block is open. It is called before another block opens.
func (s *stream) flushDetails() {
	if s.openBlock == blockThinking || len(s.thinking.details) == 0 && !s.thinking.hasTail {
		return
	}
	s.closeBlock()
	s.openBlockOf(blockThinking, `,"thinking":"","signature":""`)
	s.closeBlock()
}

// writeSignature writes the signature of the open thinking block, which is about to close.
func (s *stream) writeSignature() {
	t := &s.thinking
	t.flushTail()
	if t.isTooLong {
		t.text, t.details = nil, nil
	}
	signature := appendSignature(s.scratch[:0], t.text, t.details, s.responder.hidesText)
	s.scratch = signature
	s.writeDelta("signature_delta", "signature", inner(signature))
	*t = thinkingState{text: t.text[:0], details: t.details[:0]}
}

func (t *thinkingState) addText(text []byte) {
	if t.isTooLong = t.isTooLong || len(t.text)+len(text) > maxThinkingBytes; !t.isTooLong {
		t.text = append(t.text, text...)
	}
}

// addDetail stores an entry of reasoning_details. A stream can contain the text of one entry
// in pieces.
func (t *thinkingState) addDetail(entry []byte) {
	if t.isTooLong = t.isTooLong || len(t.details)+len(t.tailText)+len(entry) > maxThinkingBytes; t.isTooLong {
		return
	}
	if stringValue(jsonscan.Member(entry, "type")) != "reasoning.text" {
		t.flushTail()
		t.details = append(append(t.details, entry...), ',')
		return
	}
	index := jsonscan.Member(entry, "index")
	if t.hasTail && (len(t.tailSignature) > 0 || !bytes.Equal(index, t.tailIndex)) {
		t.flushTail()
	}
	t.addPiece(entry, index)
}

func (t *thinkingState) addPiece(entry, index []byte) {
	isFirst := !t.hasTail
	for name, v := range jsonscan.Members(entry) {
		switch {
		case string(name) == "text":
			t.tailText = append(t.tailText, inner(v)...)
		case string(name) == "signature":
			if hasText(v) {
				t.tailSignature = append(t.tailSignature[:0], v...)
			}
		case isFirst:
			t.tailMembers = append(jsonscan.AppendQuoted(t.tailMembers, name), ':')
			t.tailMembers = append(append(t.tailMembers, v...), ',')
		}
	}
	t.hasTail, t.tailIndex = true, append(t.tailIndex[:0], index...)
}

// flushTail ends the last entry.
func (t *thinkingState) flushTail() {
	if !t.hasTail {
		return
	}
	t.details = append(append(t.details, '{'), t.tailMembers...)
	t.details = append(append(append(t.details, `"text":"`...), t.tailText...), `",`...)
	t.details = closeWith(appendMember(t.details, "signature", t.tailSignature), "},")
	t.hasTail = false
	t.tailText, t.tailSignature, t.tailMembers = t.tailText[:0], t.tailSignature[:0], t.tailMembers[:0]
}
