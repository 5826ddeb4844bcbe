package redact

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// view is a text with its escapes resolved, and where each of its bytes comes
// from: a JSON text inside a string, as calls of tools have it, hides its
// content behind another layer of them, and an address hides it behind
// percent signs.
type view struct {
	text []byte
	// at has for each byte, and for the end, its place in the first text; nil
	// is the first text itself.
	at []int32
}

func (v *view) source(i int) int {
	if v.at == nil {
		return i
	}
	return int(v.at[i])
}

// resolve fills v with what another view says when one layer of its escapes is
// taken off; it reports false if there is none.
func (v *view) resolve(from view) bool {
	if bytes.IndexByte(from.text, '\\') < 0 && bytes.IndexByte(from.text, '%') < 0 {
		return false
	}
	v.text, v.at = v.text[:0], v.at[:0]
	found := false
	for i := 0; i < len(from.text); {
		size := 0
		known := len(v.text)
		v.text, size = appendEscaped(v.text, from.text[i:])
		if size == 0 {
			v.text, size = append(v.text, from.text[i]), 1
		} else {
			found = true
		}
		for range len(v.text) - known {
			v.at = append(v.at, int32(from.source(i)))
		}
		i += size
	}
	v.at = append(v.at, int32(from.source(len(from.text))))
	return found
}

// short are the escapes of one character.
var short = map[byte]byte{'"': '"', '\\': '\\', '/': '/', '\'': '\'', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// appendEscaped appends the character whose escape a text begins with, and
// returns how long that is, 0 if there is none.
func appendEscaped(dst, text []byte) ([]byte, int) {
	switch {
	case len(text) < 2:
	case text[0] == '%':
		if c := hex(text, 1, 2); c >= 0 && c < utf8.RuneSelf {
			return append(dst, byte(c)), 3
		}
	case text[0] != '\\':
	case text[1] == 'u':
		return appendUnicode(dst, text)
	case text[1] == 'x':
		if c := hex(text, 2, 2); c >= 0 {
			return utf8.AppendRune(dst, c), 4
		}
	default:
		if c, ok := short[text[1]]; ok {
			return append(dst, c), 2
		}
	}
	return dst, 0
}

func appendUnicode(dst, text []byte) ([]byte, int) {
	r := hex(text, 2, 4)
	if r < 0 {
		return dst, 0
	}
	if utf16.IsSurrogate(r) && bytes.HasPrefix(text[6:], []byte(`\u`)) {
		if pair := utf16.DecodeRune(r, hex(text, 8, 4)); pair != utf8.RuneError {
			return utf8.AppendRune(dst, pair), 12
		}
	}
	return utf8.AppendRune(dst, r), 6
}

// hex is the number that so many digits of a text make, -1 if they are none.
func hex(text []byte, from, digits int) rune {
	if len(text) < from+digits {
		return -1
	}
	n := rune(0)
	for _, c := range text[from : from+digits] {
		switch {
		case isDigit(c):
			n = n<<4 | rune(c-'0')
		case (c|0x20)-'a' <= 5:
			n = n<<4 | rune((c|0x20)-'a'+10)
		default:
			return -1
		}
	}
	return n
}
