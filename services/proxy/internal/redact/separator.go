package redact

// separator is what joins two groups of digits.
type separator int

const (
	none separator = iota
	space
	dash
	dot
	slash
	// paren is a bracket, with spaces or without.
	paren
)

// separated is what stands between digits that a text is preceded by and those
// that follow it, and how long that is; 0 if none follow.
func separated(t []byte) (sep separator, size int) {
	const most = 3 // ") -" has as many signs
	for range most {
		s, n := sign(t[size:])
		if n == 0 {
			return none, 0
		}
		size += n
		if s > sep {
			sep = s
		}
		if size < len(t) && isDigit(t[size]) {
			return sep, size
		}
	}
	return none, 0
}

// sign is one that may stand in a number, and its length. People also copy
// blanks and dashes that do not break.
func sign(t []byte) (separator, int) {
	switch {
	case len(t) == 0:
	case t[0] == ' ':
		return space, 1
	case t[0] == '-':
		return dash, 1
	case t[0] == '.':
		return dot, 1
	case t[0] == '/':
		return slash, 1
	case t[0] == '(' || t[0] == ')':
		return paren, 1
	case len(t) > 1 && t[0] == 0xC2 && t[1] == 0xA0:
		return space, 2
	case len(t) > 2 && t[0] == 0xE2 && t[1] == 0x80 && (t[2] == 0xAF || t[2] == 0x89):
		return space, 3
	case len(t) > 2 && t[0] == 0xE2 && t[1] == 0x80 && t[2] >= 0x90 && t[2] <= 0x95:
		return dash, 3
	}
	return none, 0
}
