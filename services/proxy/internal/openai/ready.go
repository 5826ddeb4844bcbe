package openai

import "bytes"

// Ready tells whether another whole event has arrived, so that Next would not
// wait for it. It is false for some that have.
func (e *Events) Ready() bool {
	if e.err != nil || len(e.next) > 0 {
		return false
	}
	buf, _ := e.lines.r.Peek(e.lines.r.Buffered())
	return bytes.Contains(buf, []byte("\n\n")) || bytes.Contains(buf, []byte("\r\n\r\n"))
}
