package redact

// separator is the kind of text between two groups of digits.
type separator int

const (
	none separator = iota
	space
	dash
	dot
	slash
	// paren is an opening or closing bracket, with spaces or without.
	paren
)

// parseSeparator returns the separator at the beginning of t and its length. The length
// is 0 if there is no separator or no digit follows it.
func parseSeparator(t []byte) (sep separator, size int) {
	const maxSigns = 3 // such as ") -"
	for range maxSigns {
		s, n := parseSign(t[size:])
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

// parseSign returns one separator character and its length. Non-breaking spaces
// and hyphens also count as separators.
func parseSign(t []byte) (separator, int) {
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
