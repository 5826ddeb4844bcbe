package openai

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// isText tells whether v is a string.
func isText(v jsontext.Value) bool { return len(v) > 1 && v[0] == '"' }

// isNull tells whether v is absent or null.
func isNull(v jsontext.Value) bool { return len(v) == 0 || v[0] == 'n' }

// isBlank tells whether v says nothing: absent, null, "" or [].
func isBlank(v jsontext.Value) bool {
	return isNull(v) || string(v) == `""` || string(v) == "[]"
}

// isNothing tells whether v is blank, {} or false.
func isNothing(v jsontext.Value) bool {
	return isBlank(v) || string(v) == "{}" || string(v) == "false"
}

// appendText appends the text of a string value.
func appendText(dst []byte, v jsontext.Value) []byte {
	inner := v[1 : len(v)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return append(dst, inner...)
	}
	// The value was read by the decoder, so that the only error left is a lone
	// surrogate, which becomes U+FFFD.
	dst, _ = jsontext.AppendUnquote(dst, v)
	return dst
}

// text is the text of a string value, and empty for any other.
func text(v jsontext.Value) string {
	if !isText(v) {
		return ""
	}
	var usual [64]byte
	return string(appendText(usual[:0], v))
}

// textLen is how many bytes of UTF-8 a value holds as text.
func textLen(v jsontext.Value) int {
	if !isText(v) {
		return 0
	}
	n := 0
	for b := v[1 : len(v)-1]; len(b) > 0; {
		at := bytes.IndexByte(b, '\\')
		if at < 0 {
			return n + len(b)
		}
		b = b[at:]
		size := min(runeSize(b), len(b))
		n += at + escapeLen(b[:size])
		b = b[size:]
	}
	return n
}

// escapeLen is how many bytes of UTF-8 an escape stands for.
func escapeLen(escape []byte) int {
	switch {
	case len(escape) > 6:
		return utf8.UTFMax
	case len(escape) < 6 || string(escape[2:4]) == "00" && escape[4] < '8':
		return 1
	case escape[2] == '0' && escape[3] < '8':
		return 2
	}
	return 3
}

// appendQuoted appends s as a string value; bad UTF-8 is replaced.
func appendQuoted[T ~string | ~[]byte](dst []byte, s T) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

// integer reads a whole number, also one written as 1.0 or 1e3, as JSON has
// but one kind of number.
func integer(v jsontext.Value) (int64, bool) {
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return n, true
	}
	const exact = 1 << 53
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || v.Kind() != jsontext.KindNumber || f != float64(int64(f)) || f > exact || f < -exact {
		return 0, false
	}
	return int64(f), true
}

// cut is the longest head of a string's inner text, still escaped, that has at
// most n bytes and splits neither an escape nor a rune.
func cut(inner []byte, n int) []byte {
	if len(inner) <= n {
		return inner
	}
	i := 0
	for {
		at := bytes.IndexByte(inner[i:n], '\\')
		if at < 0 {
			return inner[:runeStart(inner, i, n)]
		}
		i += at
		size := runeSize(inner[i:])
		if i+size > n {
			return inner[:i]
		}
		i += size
	}
}

// runeStart is the last place from least to at where a rune begins.
func runeStart(b []byte, least, at int) int {
	for at > least && !utf8.RuneStart(b[at]) {
		at--
	}
	return at
}

// runeSize is the written length of the next rune of an escaped text.
func runeSize(b []byte) int {
	if b[0] != '\\' {
		_, size := utf8.DecodeRune(b)
		return size
	}
	if len(b) < 6 || b[1] != 'u' {
		return min(2, len(b))
	}
	surrogate := (b[2] == 'd' || b[2] == 'D') && b[3] >= '8'
	if surrogate && len(b) >= 12 && b[6] == '\\' {
		return 12
	}
	return 6
}
