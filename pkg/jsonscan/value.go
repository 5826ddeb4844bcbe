package jsonscan

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// IsString reports whether v is a string.
func IsString(v jsontext.Value) bool { return len(v) > 1 && v[0] == '"' }

// IsNull reports whether v is absent or null.
func IsNull(v jsontext.Value) bool { return len(v) == 0 || v[0] == 'n' }

// IsBlank reports whether v is absent, null, "" or [].
func IsBlank(v jsontext.Value) bool {
	return IsNull(v) || string(v) == `""` || string(v) == "[]"
}

// IsEmptyOrFalse reports whether v is blank, {} or false.
func IsEmptyOrFalse(v jsontext.Value) bool {
	return IsBlank(v) || string(v) == "{}" || string(v) == "false"
}

// AppendUnquoted appends the decoded text of a JSON string.
func AppendUnquoted(dst []byte, v jsontext.Value) []byte {
	inner := v[1 : len(v)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return append(dst, inner...)
	}
	// The scanner has validated the value. The only remaining error is a lone
	// surrogate, which becomes U+FFFD.
	dst, _ = jsontext.AppendUnquote(dst, v)
	return dst
}

// DecodeText returns the text of a JSON string, and "" for any other value.
func DecodeText(v jsontext.Value) string {
	if !IsString(v) {
		return ""
	}
	var buffer [64]byte
	return string(AppendUnquoted(buffer[:0], v))
}

// DecodedLen returns the length in UTF-8 of a JSON string's text.
func DecodedLen(v jsontext.Value) int {
	if !IsString(v) {
		return 0
	}
	n := 0
	for b := v[1 : len(v)-1]; len(b) > 0; {
		at := bytes.IndexByte(b, '\\')
		if at < 0 {
			return n + len(b)
		}
		b = b[at:]
		size := min(escapedRuneLen(b), len(b))
		n += at + decodedEscapeLen(b[:size])
		b = b[size:]
	}
	return n
}

// decodedEscapeLen returns the length in UTF-8 of the character that an escape
// stands for.
func decodedEscapeLen(escape []byte) int {
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

// AppendQuoted appends s as a JSON string. Invalid UTF-8 is replaced.
func AppendQuoted[T ~string | ~[]byte](dst []byte, s T) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

// ParseInteger parses an integer. It also accepts integers written as 1.0 or 1e3.
func ParseInteger(v jsontext.Value) (int64, bool) {
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

// TruncateEscaped returns a prefix of a text in escaped form. The prefix is as long
// as possible, has at most n bytes, and splits neither an escape nor a rune.
func TruncateEscaped(inner []byte, n int) []byte {
	if len(inner) <= n {
		return inner
	}
	i := 0
	for {
		at := bytes.IndexByte(inner[i:n], '\\')
		if at < 0 {
			return inner[:lastRuneStart(inner, i, n)]
		}
		i += at
		size := escapedRuneLen(inner[i:])
		if i+size > n {
			return inner[:i]
		}
		i += size
	}
}

// lastRuneStart goes back from offset at to the start of a rune, but not below least.
func lastRuneStart(b []byte, least, at int) int {
	for at > least && !utf8.RuneStart(b[at]) {
		at--
	}
	return at
}

// escapedRuneLen returns the length that the next rune has in escaped form.
func escapedRuneLen(b []byte) int {
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

// AppendMember appends a comma and a member. rawName is in escaped form, with quotes.
func AppendMember(dst, rawName, v []byte) []byte {
	dst = append(dst, ',')
	dst = append(dst, rawName...)
	dst = append(dst, ':')
	return append(dst, v...)
}
