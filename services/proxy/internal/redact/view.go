package redact

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// view is a text with decoded escapes, and the original position of each byte. Escapes
// can be nested, because the arguments of a tool call are JSON inside a JSON string. URLs
// contain percent escapes.
type view struct {
	text []byte
	// offsets holds the original offset of each byte and of the end. Nil means that
	// text is the original text.
	offsets []int32
}

// sourceOffset returns the offset in the original text.
func (v *view) sourceOffset(i int) int {
	if v.offsets == nil {
		return i
	}
	return int(v.offsets[i])
}

// unescape fills v with the text of source after one layer of escapes is removed. It returns
// false if source has no escapes.
func (v *view) unescape(source view) bool {
	if bytes.IndexByte(source.text, '\\') < 0 && bytes.IndexByte(source.text, '%') < 0 {
		return false
	}
	v.text, v.offsets = v.text[:0], v.offsets[:0]
	found := false
	for i := 0; i < len(source.text); {
		size := 0
		known := len(v.text)
		v.text, size = appendUnescaped(v.text, source.text[i:])
		if size == 0 {
			v.text, size = append(v.text, source.text[i]), 1
		} else {
			found = true
		}
		for range len(v.text) - known {
			v.offsets = append(v.offsets, int32(source.sourceOffset(i)))
		}
		i += size
	}
	v.offsets = append(v.offsets, int32(source.sourceOffset(len(source.text))))
	return found
}

// shortEscapes maps the letters of one-character escapes to their characters.
var shortEscapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', '\'': '\'', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// appendUnescaped appends the character for the escape that text begins with, and returns
// the length of the escape. The length is 0 if text does not begin with an escape.
func appendUnescaped(dst, text []byte) ([]byte, int) {
	switch {
	case len(text) < 2:
	case text[0] == '%':
		if c := parseHex(text, 1, 2); c >= 0 && c < utf8.RuneSelf {
			return append(dst, byte(c)), 3
		}
	case text[0] != '\\':
	case text[1] == 'u':
		return appendUnicodeEscape(dst, text)
	case text[1] == 'x':
		if c := parseHex(text, 2, 2); c >= 0 {
			return utf8.AppendRune(dst, c), 4
		}
	default:
		if c, ok := shortEscapes[text[1]]; ok {
			return append(dst, c), 2
		}
	}
	return dst, 0
}

func appendUnicodeEscape(dst, text []byte) ([]byte, int) {
	r := parseHex(text, 2, 4)
	if r < 0 {
		return dst, 0
	}
	if utf16.IsSurrogate(r) && bytes.HasPrefix(text[6:], []byte(`\u`)) {
		if pair := utf16.DecodeRune(r, parseHex(text, 8, 4)); pair != utf8.RuneError {
			return utf8.AppendRune(dst, pair), 12
		}
	}
	return utf8.AppendRune(dst, r), 6
}

// parseHex returns the value of hexadecimal digits in text, or -1 if they are invalid.
func parseHex(text []byte, from, digits int) rune {
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
