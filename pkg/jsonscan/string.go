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
	at, ascii := from, true
	for {
		base, marks, width := findSpecialBytes(src, at)
		if marks == 0 {
			return -1
		}
		at = base + width
		for marks != 0 {
			offset := bits.TrailingZeros64(marks)
			next := base + offset
			switch c := src[next]; {
			case c == '\\' && next+1 < len(src) && shortEscapes[src[next+1]]:
				s.escapeOverhead++
				marks &^= 3 << offset
				at = max(at, next+2)
				continue
			case c == '\\':
				if next = s.scanEscape(next); next < 0 {
					return -1
				}
			case c == '"':
				if !ascii && !s.lenient && !utf8.Valid(src[from:next]) {
					return -1
				}
				return next + 1
			case c < ' ':
				return -1
			default:
				ascii = false
				next = skipNonASCII(src, next)
			}
			marks = clearBelow(marks, next-base)
			at = max(at, next)
		}
	}
}

// clearBelow clears the lowest n bits.
func clearBelow(marks uint64, n int) uint64 { return marks >> n << n }

func skipNonASCII(src []byte, at int) int {
	for at < len(src) && src[at] >= utf8.RuneSelf {
		at++
	}
	return at
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
