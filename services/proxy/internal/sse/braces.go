package sse

// braceTracker follows the braces of a growing text to find out when it may be a
// complete JSON object. It reads every byte once.
type braceTracker struct {
	// consumed is how many bytes were read. depth is the number of open braces.
	consumed, depth int
	// closed counts how often depth returned to zero. closedAtLastCall is the value of
	// closed at the last call of closesFirstObject.
	closed, closedAtLastCall int
	// quoted is set inside a string. escaped is set after a backslash in a string.
	quoted, escaped bool
}

// closesFirstObject reads the part of text that was added since the last call. It returns
// true at most once: when that part ends the first object. If text is not a valid object
// at that time, it cannot become one later.
func (b *braceTracker) closesFirstObject(text []byte) bool {
	for _, c := range text[b.consumed:] {
		b.readByte(c)
	}
	b.consumed = len(text)
	first := b.closed == 1 && b.closedAtLastCall == 0
	b.closedAtLastCall = b.closed
	return first && b.depth == 0
}

func (b *braceTracker) readByte(c byte) {
	switch {
	case b.escaped:
		b.escaped = false
	case c == '\\':
		b.escaped = b.quoted
	case c == '"':
		b.quoted = !b.quoted
	case b.quoted:
	case c == '{':
		b.depth++
	case c == '}':
		b.depth--
		if b.depth == 0 {
			b.closed++
		}
	}
}
