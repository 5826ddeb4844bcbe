package sse

import "bytes"

// simpleEnd is what ends a simple event.
var simpleEnd = []byte("\n\n")

// simpleStart begins a simple event.
var simpleStart = []byte("data: {")

// takeSimpleEvent returns the data of the next event without a copy if the event is like nearly
// every event of an OpenAI stream: one line with an object, then a blank line. Otherwise, or if
// the event has not arrived completely, it returns nil and reads nothing.
func (e *Reader) takeSimpleEvent() []byte {
	buf, size := e.peekSimpleEvent()
	if size == 0 {
		return nil
	}
	_, _ = e.lines.r.Discard(size)
	e.data, e.name, e.started = e.data[:0], e.name[:0], true
	return buf[len(simpleStart)-1 : size-len(simpleEnd)]
}

// peekSimpleEvent returns the unread bytes, and the size of the simple event at their start. The
// size is 0 if there is none.
func (e *Reader) peekSimpleEvent() (buf []byte, size int) {
	buf = e.lines.buffered()
	if e.isJSON || e.lines.atStart || len(e.nextData) > 0 || len(e.nextName) > 0 || !bytes.HasPrefix(buf, simpleStart) {
		return buf, 0
	}
	end := bytes.IndexByte(buf, '\n')
	if end < 0 || !bytes.HasPrefix(buf[end:], simpleEnd) || bytes.IndexByte(buf[:end], '\r') >= 0 {
		return buf, 0
	}
	return buf, end + len(simpleEnd)
}
