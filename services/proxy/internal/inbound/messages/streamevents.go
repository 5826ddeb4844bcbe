package messages

import (
	"strconv"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// beginEvent writes an event up to its first member after the type.
func (s *stream) beginEvent(name string) {
	s.out = append(s.out, "event: "...)
	s.out = append(s.out, name...)
	s.out = append(s.out, "\ndata: {\"type\":\""...)
	s.out = append(s.out, name...)
	s.out = append(s.out, `",`...)
}

func (s *stream) endEvent() { s.out = closeWith(s.out, "}\n\n") }

// beginBlockEvent writes an event of the open block up to the index.
func (s *stream) beginBlockEvent(name string) {
	s.beginEvent(name)
	s.out = append(s.out, `"index":`...)
	s.out = append(strconv.AppendInt(s.out, int64(s.blocks-1), 10), ',')
}

// openBlockOf opens a block. content holds the members of the block after its type.
func (s *stream) openBlockOf(kind string, content ...string) {
	s.openBlock = kind
	s.blocks++
	s.hasOutput = s.hasOutput || kind != blockThinking
	s.beginBlockEvent("content_block_start")
	s.out = append(s.out, `"content_block":{"type":"`...)
	s.out = append(s.out, kind...)
	s.out = append(s.out, '"')
	for _, text := range content {
		s.out = append(s.out, text...)
	}
	s.out = append(s.out, '}')
	s.endEvent()
}

// writeDelta writes a delta of the open block. text is a JSON string without its quotes.
func (s *stream) writeDelta(kind, member string, text []byte) {
	s.beginBlockEvent("content_block_delta")
	s.out = append(s.out, `"delta":{"type":"`...)
	s.out = append(s.out, kind...)
	s.out = append(s.out, `","`...)
	s.out = append(s.out, member...)
	s.out = append(s.out, `":"`...)
	s.out = append(append(s.out, text...), `"}`...)
	s.endEvent()
}

// closeBlock closes the open block, if any.
func (s *stream) closeBlock() {
	switch s.openBlock {
	case "":
		return
	case blockThinking:
		s.writeSignature()
	}
	s.beginBlockEvent("content_block_stop")
	s.endEvent()
	s.openBlock = ""
}

func appendErrorEvent(dst []byte, e *apperr.Error, o apperr.Options) []byte {
	o.Format = apperr.Anthropic
	dst = append(dst, "event: error\ndata: "...)
	return append(append(dst, e.Body(o)...), "\n\n"...)
}
