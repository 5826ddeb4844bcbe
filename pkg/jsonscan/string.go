package jsonscan

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// scanString returns the end offset of a string, or -1 if the string is invalid or has no
// closing quote. from is the offset after the opening quote.
func (s *Scanner) scanString(from int) int {
	src := s.src
	// Most strings are short names and words. They end in the first eight bytes.
	if from+8 <= len(src) {
		marks := markSpecialBytes(binary.LittleEndian.Uint64(src[from : from+8 : from+8]))
		if end := from + bits.TrailingZeros64(marks)/8; marks != 0 && src[end] == '"' {
			return end + 1
		}
	}
	at, isASCII := from, true
	for {
		next, escapes, ascii := skipText(src, at)
		s.escapeOverhead += escapes
		isASCII = isASCII && ascii
		switch {
		case next == len(src) || src[next] < ' ':
			return -1
		case src[next] == '"':
			if !isASCII && !s.lenient && !utf8.Valid(src[from:next]) {
				return -1
			}
			return next + 1
		}
		// Some clients escape every letter that is not ASCII, so escapes come in runs.
		for at = next; at < len(src) && src[at] == '\\'; {
			if at = s.scanEscape(at); at < 0 {
				return -1
			}
		}
	}
}

// shortEscapes marks the characters that may follow a backslash in a two-byte
// escape.
var shortEscapes = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// scanEscape returns the end offset of the escape whose backslash is s.src[at], or
// -1 if the escape is invalid. In strict mode a lone surrogate is invalid.
func (s *Scanner) scanEscape(at int) int {
	src := s.src
	if at+1 >= len(src) {
		return -1
	}
	if src[at+1] != 'u' {
		if !shortEscapes[src[at+1]] {
			return -1
		}
		s.escapeOverhead++
		return at + 2
	}
	r := parseHex4(src, at+2)
	if r < 0 {
		return -1
	}
	at += 6
	if s.lenient || r < 0xD800 || r > 0xDFFF {
		s.escapeOverhead += 6 - utf8Width(r)
		return at
	}
	if r >= 0xDC00 || at+1 >= len(src) || src[at] != '\\' || src[at+1] != 'u' {
		return -1
	}
	if low := parseHex4(src, at+2); low < 0xDC00 || low > 0xDFFF {
		return -1
	}
	s.escapeOverhead += 12 - utf8.UTFMax
	return at + 6
}

// utf8Width returns the length in UTF-8 of an escaped UTF-16 code unit. A surrogate
// pair takes four bytes, so each half counts as two.
func utf8Width(r int) int {
	switch {
	case r < 0x80:
		return 1
	case r < 0x800 || r >= 0xD800 && r <= 0xDFFF:
		return 2
	}
	return 3
}

func parseHex4(src []byte, at int) int {
	if at+4 > len(src) {
		return -1
	}
	n := 0
	for _, c := range src[at : at+4] {
		switch {
		case c-'0' <= 9:
			n = n<<4 | int(c-'0')
		case (c|0x20)-'a' <= 5:
			n = n<<4 | int((c|0x20)-'a'+10)
		default:
			return -1
		}
	}
	return n
}
