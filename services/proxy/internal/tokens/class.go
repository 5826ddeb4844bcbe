package tokens

import "strings"

// class is what a byte is to a tokenizer. Letters are told apart by how common
// they are, as rare ones next to each other are seldom one token; bytes beyond
// ASCII by the script that they begin, and the others of a character by range.
type class uint8

const (
	line class = iota
	space
	vowel
	common
	rare
	upper
	digit
	stop
	bracket
	sign
	low
	mid
	high
	latin
	greek
	cyrillic
	hebrew
	arabic
	indic
	symbol
	kana
	han
	hangul
	wide
	emoji
	numClasses
)

// row is the distance of two rows of a table by class, a power of two so that an
// index is a shift and an or.
const row = 32

// classes is the class of every byte.
var classes = func() (all [256]uint8) {
	for b := range all {
		all[b] = uint8(classOf(byte(b)))
	}
	return all
}()

func classOf(b byte) class {
	switch {
	case b >= 0x80:
		return beyond(b)
	case b == ' ' || b == '\t':
		return space
	case b < ' ' || b == 0x7f:
		return line
	case b >= '0' && b <= '9':
		return digit
	case b >= 'A' && b <= 'Z':
		return upper
	}
	for _, c := range []struct {
		bytes string
		class class
	}{
		{"aeiou", vowel}, {"tnsrldcmh", common}, {"bfgjkpqvwxyz", rare}, {".,;:!?'", stop}, {`"(){}[]<>`, bracket},
	} {
		if strings.IndexByte(c.bytes, b) >= 0 {
			return c.class
		}
	}
	return sign
}

// beyond goes by the first byte after a class's last.
func beyond(b byte) class {
	for _, c := range []struct {
		end   byte
		class class
	}{
		{0xa0, low}, {0xb0, mid}, {0xc0, high}, {0xc6, latin}, {0xd0, greek}, {0xd4, cyrillic}, {0xd8, hebrew}, {0xe0, arabic},
		{0xe1, indic}, {0xe3, symbol}, {0xe4, kana}, {0xea, han}, {0xee, hangul}, {0xf0, wide},
	} {
		if b < c.end {
			return c.class
		}
	}
	return emoji
}
