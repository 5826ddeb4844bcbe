package jsonscan

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode/utf8"
)

// scalar returns where the string, number or literal at next ends, -1 if it is
// none.
func (s *Scanner) scalar(kind Kind) int {
	switch kind {
	case String:
		return s.text(s.next + 1)
	case Number:
		return s.number()
	case True:
		return literal(s.src, s.next, "true")
	case False:
		return literal(s.src, s.next, "false")
	}
	return literal(s.src, s.next, "null")
}

func literal(src []byte, at int, want string) int {
	if len(src)-at < len(want) || string(src[at:at+len(want)]) != want {
		return -1
	}
	return at + len(want)
}

// number blames one that no float64 holds. That takes an exponent, or more
// digits than anybody writes.
func (s *Scanner) number() int {
	end := number(s.src, s.next)
	if end < 0 || s.lenient {
		return end
	}
	raw := s.src[s.next:end]
	if len(raw) < 300 && bytes.IndexByte(raw, 'e') < 0 && bytes.IndexByte(raw, 'E') < 0 {
		return end
	}
	if _, err := strconv.ParseFloat(string(raw), 64); err != nil {
		s.blame("a number is out of range")
	}
	return end
}

func number(src []byte, at int) int {
	if at < len(src) && src[at] == '-' {
		at++
	}
	switch {
	case at >= len(src):
		return -1
	case src[at] == '0':
		at++
	default:
		if at = digits(src, at); at < 0 {
			return -1
		}
	}
	if at < len(src) && src[at] == '.' {
		if at = digits(src, at+1); at < 0 {
			return -1
		}
	}
	if at < len(src) && src[at]|0x20 == 'e' {
		at++
		if at < len(src) && (src[at] == '+' || src[at] == '-') {
			at++
		}
		return digits(src, at)
	}
	return at
}

// digits returns where they end, -1 if there is none.
func digits(src []byte, at int) int {
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

// special marks, in the high bit of each byte, those that end a plain run of a
// string: quotes, backslashes, controls and what is not ASCII. A borrow may
// mark a byte above a marked one as well; the lowest mark is always true.
func special(word uint64) uint64 {
	quote := word ^ ones*'"'
	slash := word ^ ones*'\\'
	return ((quote - ones) | (slash - ones) | (word - ones*' ') | word) & highs
}

// plain passes over bytes that mean themselves; it may stop early near the end.
func plain(src []byte, at int) int {
	for at+32 <= len(src) {
		b := src[at : at+32 : at+32]
		marks := special(binary.LittleEndian.Uint64(b)) | special(binary.LittleEndian.Uint64(b[8:])) |
			special(binary.LittleEndian.Uint64(b[16:])) | special(binary.LittleEndian.Uint64(b[24:]))
		if marks != 0 {
			break
		}
		at += 32
	}
	for at+8 <= len(src) {
		if found := special(binary.LittleEndian.Uint64(src[at : at+8 : at+8])); found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
		at += 8
	}
	return at
}

// text returns where the string whose inside begins at from ends, -1 if it
// does not or is not valid.
func (s *Scanner) text(from int) int {
	src, at, ascii := s.src, from, true
	for {
		at = plain(src, at)
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
			if at = s.escape(at); at < 0 {
				return -1
			}
		case c < ' ':
			return -1
		case c >= utf8.RuneSelf:
			ascii = false
			at = foreign(src, at)
		default:
			at++
		}
	}
}

// foreign passes over a run of bytes that are not ASCII.
func foreign(src []byte, at int) int {
	for at < len(src) && src[at] >= utf8.RuneSelf {
		at++
	}
	return at
}

// short are the characters that make an escape of two.
var short = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// escape returns where the escape at the backslash ends, -1 if it is none. A
// surrogate must have its other half, unless the scanner is lenient.
func (s *Scanner) escape(at int) int {
	src := s.src
	if at+1 >= len(src) {
		return -1
	}
	if src[at+1] != 'u' {
		if !short[src[at+1]] {
			return -1
		}
		s.saved++
		return at + 2
	}
	r := hex4(src, at+2)
	if r < 0 {
		return -1
	}
	at += 6
	if s.lenient || r < 0xD800 || r > 0xDFFF {
		s.saved += 6 - width(r)
		return at
	}
	if r >= 0xDC00 || at+1 >= len(src) || src[at] != '\\' || src[at+1] != 'u' {
		return -1
	}
	if low := hex4(src, at+2); low < 0xDC00 || low > 0xDFFF {
		return -1
	}
	s.saved += 12 - utf8.UTFMax
	return at + 6
}

// width is how many bytes the UTF-8 of an escape has. Half a surrogate pair
// has half of the pair's.
func width(r int) int {
	switch {
	case r < 0x80:
		return 1
	case r < 0x800 || r >= 0xD800 && r <= 0xDFFF:
		return 2
	}
	return 3
}

func hex4(src []byte, at int) int {
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
