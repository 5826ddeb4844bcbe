package jsonscan

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// IsPlain reports whether a text has only ASCII characters that need no escape in a string.
func IsPlain(text []byte) bool {
	end, escapes, ascii := skipText(text, 0)
	return end == len(text) && escapes == 0 && ascii
}

// skipText skips what needs no further examination in a string: plain characters, non-ASCII bytes
// and two-byte escapes. It returns the offset of the next byte, which is a quote, a control
// character, or the backslash of another escape, or the end of src. It counts the escapes, and
// reports whether all other bytes are ASCII.
func skipText(src []byte, at int) (end, escapes int, ascii bool) {
	at, escapes, ascii = skipWideText(src, at)
	for {
		base, marks := findSpecialBytes(src, at)
		if marks == 0 {
			return len(src), escapes, ascii
		}
		at = base + 8
		for marks != 0 {
			offset := bits.TrailingZeros64(marks)
			next := base + offset
			switch c := src[next]; {
			case c >= utf8.RuneSelf:
				ascii = false
				marks &^= 1 << offset
			case c == '\\' && next+1 < len(src) && shortEscapes[src[next+1]]:
				escapes++
				marks &^= 3 << offset
				at = max(at, next+2)
			default:
				return next, escapes, ascii
			}
		}
	}
}

// findSpecialBytes finds the next bytes of a string that must be examined: quotes, backslashes,
// control characters and non-ASCII bytes. It returns a block of eight bytes of src that begins at
// base, at or after at, and has one bit in marks for each special byte in it. No special byte is
// between at and base. marks is 0 if src has no further special byte.
func findSpecialBytes(src []byte, at int) (base int, marks uint64) {
	for ; at+8 <= len(src); at += 8 {
		if marks = collectMarks(markExactly(binary.LittleEndian.Uint64(src[at : at+8 : at+8]))); marks != 0 {
			return at, marks
		}
	}
	for i, c := range src[min(at, len(src)):] {
		if c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			marks |= 1 << i
		}
	}
	return at, marks
}

// markSpecialBytes sets the high bit of each special byte. The subtraction may borrow from the
// next byte and mark it by mistake, so only the lowest mark is reliable. Control characters and
// the quote are below 0x21 after their second bit is inverted, and no other byte is.
func markSpecialBytes(word uint64) uint64 {
	slash := word ^ ones*'\\'
	return ((word ^ ones*2) - ones*0x21 | (slash - ones) | word) & highs
}

// markExactly is like markSpecialBytes, but all marks are reliable.
func markExactly(word uint64) uint64 {
	low := word &^ highs
	control := (low ^ ones*2) + ones*(0x80-0x21) // a high bit means that the byte is plain
	slash := (low ^ ones*'\\') + ones*0x7f
	return (^(control & slash) | word) & highs
}

// collectMarks turns the high bits of eight bytes into eight bits.
func collectMarks(marks uint64) uint64 {
	return (marks >> 7) * 0x0102040810204080 >> 56
}
