package redact

import (
	"unicode"
	"unicode/utf8"
)

// longestEmail is what the standard allows.
const longestEmail = 254

// email looks at what stands around an at sign.
func (f *finder) email(i int) int {
	from := i
	for i-from < longestEmail {
		r, size := utf8.DecodeLastRune(f.text[:from])
		if !isLocal(r) {
			break
		}
		from -= size
	}
	for from < i && (f.text[from] == '\'' || f.text[from] == '.') {
		from++
	}
	to := i + 1
	for to-i < longestEmail {
		r, size := utf8.DecodeRune(f.text[to:])
		if !isHost(r) {
			break
		}
		to += size
	}
	for to > i && (f.text[to-1] == '.' || f.text[to-1] == '-') {
		to--
	}
	if from == i || !f.isDomain(i+1, to) {
		return i + 1
	}
	f.add(from, to, kindEmail)
	return to
}

// isDomain tells whether a host has a domain of at least two letters at its end.
func (f *finder) isDomain(from, to int) bool {
	dot := to - 1
	for dot > from && f.text[dot] != '.' {
		if c := f.text[dot]; !isAlnum(c) && c != '-' && c < 0x80 {
			return false
		}
		dot--
	}
	return dot > from && to-dot > 2 && !isDigit(f.text[dot+1])
}

func isLocal(r rune) bool {
	switch r {
	case '_', '%', '+', '\'', '~':
		return true
	}
	return isHost(r)
}

// isHost takes the letters of scripts that have blanks between words: of others
// whole sentences would be taken for a name.
func isHost(r rune) bool {
	const spaced = 0x0E00
	switch {
	case r < utf8.RuneSelf:
		return isAlnum(byte(r)) || r == '.' || r == '-'
	case r == utf8.RuneError:
		return false
	}
	return r < spaced && unicode.IsLetter(r)
}
