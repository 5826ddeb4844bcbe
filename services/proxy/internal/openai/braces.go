package openai

// braces follows the braces of a text that grows, reading every byte once, to
// tell when it may have become a JSON object.
type braces struct {
	// read is how much of the text has been seen, and depth how many braces
	// are open there.
	read, depth int
	// closed is how often the last of them was closed, told for how often
	// that has been reported.
	closed, told int
	// quoted and escaped tell that what follows is in a string, or behind a
	// backslash in one.
	quoted, escaped bool
}

// close reads what is new of the text. It reports true at most once, when the
// first brace has been closed: a text that goes on behind that, or was no
// object then, will never be one.
func (b *braces) close(text []byte) bool {
	for _, c := range text[b.read:] {
		b.next(c)
	}
	b.read = len(text)
	first := b.closed == 1 && b.told == 0
	b.told = b.closed
	return first && b.depth == 0
}

func (b *braces) next(c byte) {
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
