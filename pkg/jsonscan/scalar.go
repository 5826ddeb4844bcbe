package jsonscan

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode/utf8"
)

// scanScalar returns the end offset of the string, number or literal at next, or
// -1 if it is malformed.
func (s *Scanner) scanScalar(kind Kind) int {
	switch kind {
	case String:
		return s.scanString(s.next + 1)
	case Number:
		return s.scanNumber()
	case True:
		return literalEnd(s.src, s.next, "true")
	case False:
		return literalEnd(s.src, s.next, "false")
	}
	return literalEnd(s.src, s.next, "null")
}

func literalEnd(src []byte, at int, want string) int {
	if len(src)-at < len(want) || string(src[at:at+len(want)]) != want {
		return -1
	}
	return at + len(want)
}

// scanNumber returns the end offset of the number at s.next, or -1 if it is malformed.
// In strict mode, a number outside the range of float64 is a portability error. Only a
// number with an exponent, or with at least 300 characters, can be outside.
func (s *Scanner) scanNumber() int {
	end := numberEnd(s.src, s.next)
	if end < 0 || s.lenient {
		return end
	}
	raw := s.src[s.next:end]
	if len(raw) < 300 && bytes.IndexByte(raw, 'e') < 0 && bytes.IndexByte(raw, 'E') < 0 {
		return end
	}
	if _, err := strconv.ParseFloat(string(raw), 64); err != nil {
		s.notePortabilityError("a number is out of range")
	}
	return end
}

func numberEnd(src []byte, at int) int {
	if at < len(src) && src[at] == '-' {
		at++
	}
	switch {
	case at >= len(src):
		return -1
	case src[at] == '0':
		at++
	default:
		if at = digitsEnd(src, at); at < 0 {
			return -1
		}
	}
	if at < len(src) && src[at] == '.' {
		if at = digitsEnd(src, at+1); at < 0 {
			return -1
		}
	}
	if at < len(src) && src[at]|0x20 == 'e' {
		at++
		if at < len(src) && (src[at] == '+' || src[at] == '-') {
			at++
		}
		return digitsEnd(src, at)
	}
	return at
}

// digitsEnd returns the offset after the digits that start at src[at]. It returns -1 if there
// are no digits.
func digitsEnd(src []byte, at int) int {
	from := at
	for at < len(src) && src[at]-'0' <= 9 {
		at++
	}
	if at == from {
		return -1
	}
	return at
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// markSpecialBytes sets the high bit of each byte that must be examined inside a
// string: quotes, backslashes, control characters and non-ASCII bytes. The subtraction
// may borrow from the next byte and mark it by mistake, so only the lowest mark is
// reliable.
func markSpecialBytes(word uint64) uint64 {
	quote := word ^ ones*'"'
	slash := word ^ ones*'\\'
	return ((quote - ones) | (slash - ones) | (word - ones*' ') | word) & highs
}

// skipPlainBytes skips the bytes of a string that need no decoding or check. It may
// stop early near the end of src.
func skipPlainBytes(src []byte, at int) int {
	for at+32 <= len(src) {
		b := src[at : at+32 : at+32]
		marks := markSpecialBytes(binary.LittleEndian.Uint64(b)) | markSpecialBytes(binary.LittleEndian.Uint64(b[8:])) |
			markSpecialBytes(binary.LittleEndian.Uint64(b[16:])) | markSpecialBytes(binary.LittleEndian.Uint64(b[24:]))
		if marks != 0 {
			break
		}
		at += 32
	}
	for at+8 <= len(src) {
		if found := markSpecialBytes(binary.LittleEndian.Uint64(src[at : at+8 : at+8])); found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
		at += 8
	}
	return at
}

// scanString returns the end offset of a string, or -1 if the string is invalid or has no
// closing quote. from is the offset after the opening quote.
func (s *Scanner) scanString(from int) int {
	src, at, ascii := s.src, from, true
	for {
		at = skipPlainBytes(src, at)
		if at >= len(src) {
			return -1
		}
		switch c := src[at]; {
		case c == '"':
			if !ascii && !s.lenient && !utf8.Valid(src[from:at]) {
				return -1
			}
			return at + 1
		case c == '\\':
			if at = s.scanEscape(at); at < 0 {
				return -1
			}
		case c < ' ':
			return -1
		case c >= utf8.RuneSelf:
			ascii = false
			at = skipNonASCII(src, at)
		default:
			at++
		}
	}
}

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
