package redact

import (
	"unicode"
	"unicode/utf8"
)

// maxEmailLen is the maximum length according to RFC 5321.
const maxEmailLen = 254

// scanEmail examines the text around the at sign at i and returns where to continue.
func (f *finder) scanEmail(i int) int {
	from := i
	for i-from < maxEmailLen {
		r, size := utf8.DecodeLastRune(f.text[:from])
		if !isLocalPartRune(r) {
			break
		}
		from -= size
	}
	for from < i && (f.text[from] == '\'' || f.text[from] == '.') {
		from++
	}
	to := i + 1
	for to-i < maxEmailLen {
		r, size := utf8.DecodeRune(f.text[to:])
		if !isHostRune(r) {
			break
		}
		to += size
	}
	for to > i && (f.text[to-1] == '.' || f.text[to-1] == '-') {
		to--
	}
	if from == i || !f.hasTopLevelDomain(i+1, to) {
		return i + 1
	}
	f.addSpan(from, to, kindEmail)
	return to
}

// hasTopLevelDomain reports whether the host ends with a dot and a name of at least two
// characters. The name must not start with a digit.
func (f *finder) hasTopLevelDomain(from, to int) bool {
	dot := to - 1
	for dot > from && f.text[dot] != '.' {
		if c := f.text[dot]; !isAlnum(c) && c != '-' && c < 0x80 {
			return false
		}
		dot--
	}
	return dot > from && to-dot > 2 && !isDigit(f.text[dot+1])
}

func isLocalPartRune(r rune) bool {
	switch r {
	case '_', '%', '+', '\'', '~':
		return true
	}
	return isHostRune(r)
}

// isHostRune accepts the ASCII characters of host names, and letters of scripts that
// separate words by spaces. In other scripts, a whole sentence would count as a name.
func isHostRune(r rune) bool {
	const firstUnspacedScript = 0x0E00
	switch {
	case r < utf8.RuneSelf:
		return isAlnum(byte(r)) || r == '.' || r == '-'
	case r == utf8.RuneError:
		return false
	}
	return r < firstUnspacedScript && unicode.IsLetter(r)
}
