package sse

import "bytes"

// Ready reports whether the buffer contains a complete event, so that Next returns
// without blocking. [DONE] counts as an event. Ready may return false although the
// event is complete.
func (e *Reader) Ready() bool {
	if e.err != nil || e.isJSON || len(e.nextData) > 0 {
		return false
	}
	rest, simple := e.peekSimpleEvent()
	if simple > 0 {
		return true
	}
	for hasData := false; ; {
		end := findLineEnd(rest)
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
