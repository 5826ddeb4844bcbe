package openai

import "bytes"

// Ready tells whether another whole event, or the end, has arrived, so that
// Next would not wait for it. It is false for some that have.
func (e *Events) Ready() bool {
	if e.err != nil || e.plain || len(e.next) > 0 {
		return false
	}
	hasData := false
	for rest := e.lines.buffered(); ; {
		end := lineEnd(rest)
		switch {
		case end < 0:
			return false
		case end == 0 && hasData:
			return true
		case bytes.HasPrefix(rest[:end], []byte("data:")):
			hasData = hasData || len(bytes.TrimSpace(rest[:end])) > len("data:")
		}
		if rest[end] == '\r' && end+1 < len(rest) && rest[end+1] == '\n' {
			end++
		}
		rest = rest[end+1:]
	}
}
