package tokens

import "strings"

// class groups bytes that tokenizers treat alike. ASCII letters are classified by
// frequency, because two rare letters in a row are seldom one token. Lead bytes of UTF-8
// are classified by script, and continuation bytes by value range.
type class uint8

const (
	line  class = iota // line breaks and other control characters
	space              // blanks and tabs
	vowel
	common // frequent consonants
	rare   // other lower-case letters
	upper
	digit
	stop    // punctuation
	bracket // quotes and brackets
	sign    // other ASCII symbols
	low     // continuation bytes 0x80 to 0x9f
	mid     // continuation bytes 0xa0 to 0xaf
	high    // continuation bytes 0xb0 to 0xbf
	latin   // this and the following classes are lead bytes
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

// rowStride is the length of one row in a table indexed by two classes. It is a
// power of two so that computing an index takes a shift and an or.
const rowStride = 32

// classByByte maps every byte to its class.
var classByByte = func() (all [256]uint8) {
	for b := range all {
		all[b] = uint8(classifyByte(byte(b)))
	}
	return all
}()

func classifyByte(b byte) class {
	switch {
	case b >= 0x80:
		return classifyNonASCII(b)
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

// classifyNonASCII finds the class of b in a table. end is the first byte after a class.
func classifyNonASCII(b byte) class {
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
