package tokens

import "unicode/utf16"

const (
	// unicodeEscapeLen is the length of one \uXXXX escape.
	unicodeEscapeLen = len(`\uXXXX`)
	// firstLowSurrogate is the lowest value of the second half of a UTF-16 surrogate pair.
	firstLowSurrogate = 0xdc00
)

// decodeEscape decodes the escape at the start of b and returns its length. The caller has
// validated the text. An escape that is cut off counts as a backslash.
func decodeEscape(b []byte) (r rune, n int) {
	if len(b) < 2 {
		return '\\', 1
	}
	if b[1] != 'u' {
		return shortEscapes[b[1]], 2
	}
	r, ok := parseUnicodeEscape(b)
	if !ok {
		return '\\', 1
	}
	if utf16.IsSurrogate(r) && r < firstLowSurrogate {
		if second, ok := parseUnicodeEscape(b[unicodeEscapeLen:]); ok {
			return utf16.DecodeRune(r, second), 2 * unicodeEscapeLen
		}
	}
	return r, unicodeEscapeLen
}

// shortEscapes maps the second byte of a two-byte escape to its character.
var shortEscapes = [256]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// parseUnicodeEscape parses a \uXXXX escape at the start of b.
func parseUnicodeEscape(b []byte) (r rune, ok bool) {
	if len(b) < unicodeEscapeLen || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, c := range b[2:unicodeEscapeLen] {
		switch {
		case c-'0' <= 9:
			r = r<<4 | rune(c-'0')
		case (c|0x20)-'a' <= 5:
			r = r<<4 | rune((c|0x20)-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
