package jsonscan

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
)

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
	at = mantissaEnd(src, at)
	if at < 0 || at >= len(src) || src[at]|0x20 != 'e' {
		return at
	}
	at++
	if at < len(src) && (src[at] == '+' || src[at] == '-') {
		at++
	}
	return digitsEnd(src, at)
}

// mantissaEnd returns the end offset of the number at src[at] without its exponent, or -1 if it
// is malformed.
func mantissaEnd(src []byte, at int) int {
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
		return digitsEnd(src, at+1)
	}
	return at
}

// digitsEnd returns the offset after the digits that start at src[at]. It returns -1 if there
// are no digits.
func digitsEnd(src []byte, at int) int {
	from := at
	for at+8 <= len(src) {
		if others := markNonDigits(binary.LittleEndian.Uint64(src[at : at+8 : at+8])); others != 0 {
			at += bits.TrailingZeros64(others) / 8
			if at == from {
				return -1
			}
			return at
		}
		at += 8
	}
	for at < len(src) && src[at]-'0' <= 9 {
		at++
	}
	if at == from {
		return -1
	}
	return at
}

// markNonDigits sets the high bit of each byte that is not a digit.
func markNonDigits(word uint64) uint64 {
	x := word ^ ones*'0'
	return (x&^highs + ones*(0x80-10) | x) & highs
}
