package tokens

import "unicode/utf16"

const (
	// escape is the longest single one.
	escape = len(`\uXXXX`)
	// lowSurrogates are the second halves of pairs.
	lowSurrogates = 0xdc00
)

// decode takes what is no escape for what it is: the text was checked before.
func decode(b []byte) (r rune, n int) {
	if len(b) < 2 {
		return '\\', 1
	}
	if b[1] != 'u' {
		return short[b[1]], 2
	}
	r, ok := hex(b)
	if !ok {
		return '\\', 1
	}
	if utf16.IsSurrogate(r) && r < lowSurrogates {
		if second, ok := hex(b[escape:]); ok {
			return utf16.DecodeRune(r, second), 2 * escape
		}
	}
	return r, escape
}

// short is what the escapes of two bytes stand for.
var short = [256]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// hex reads an escape of four digits.
func hex(b []byte) (r rune, ok bool) {
	if len(b) < escape || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, c := range b[2:escape] {
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
