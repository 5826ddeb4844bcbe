package features

import (
	"sort"
	"unicode/utf8"
)

type byteClass uint8

const (
	sign byteClass = iota
	blank
	newline
	digit
	letter
	nonASCII
)

// byteClasses holds the class of each byte.
var byteClasses = buildByteClasses()

func buildByteClasses() (all [256]byteClass) {
	for i := range all {
		switch c := byte(i); {
		case c >= utf8.RuneSelf:
			all[i] = nonASCII
		case c == '\n':
			all[i] = newline
		case c <= ' ' || c == 0x7f:
			all[i] = blank
		case c >= '0' && c <= '9':
			all[i] = digit
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_':
			all[i] = letter
		}
	}
	return all
}

// foldedBytes holds the lower case of each ASCII byte that can be part of a word. It
// holds 0 for other bytes.
var foldedBytes = buildFoldedBytes()

func buildFoldedBytes() (all [256]byte) {
	for i := range all {
		if c := byte(i); byteClasses[i] == letter || byteClasses[i] == digit {
			all[i] = toLower(c)
		}
	}
	return all
}

// script is a writing system.
type script uint8

const (
	// symbol stands for runes that are not letters.
	symbol script = iota
	latin
	greek
	cyrillic
	ukrainian // Cyrillic letters that Russian does not use
	hebrew
	arabic
	devanagari
	thai
	kana
	han
	hangul
	other
	scriptCount
)

// scriptRanges holds the ranges of runes in ascending order. end is the last rune of a
// range.
var scriptRanges = [...]struct {
	end rune
	is  script
}{
	{0x00bf, symbol}, {0x00d6, latin}, {0x00d7, symbol}, {0x00f6, latin}, {0x00f7, symbol}, {0x02af, latin},
	{0x036f, symbol}, {0x03ff, greek}, {0x0403, cyrillic}, {0x0404, ukrainian}, {0x0405, cyrillic},
	{0x0407, ukrainian}, {0x0453, cyrillic}, {0x0454, ukrainian}, {0x0455, cyrillic}, {0x0457, ukrainian},
	{0x048f, cyrillic}, {0x0491, ukrainian}, {0x052f, cyrillic}, {0x058f, other}, {0x05ff, hebrew},
	{0x060b, arabic}, {0x060c, symbol}, {0x061e, arabic}, {0x061f, symbol}, {0x077f, arabic}, {0x08ff, other},
	{0x097f, devanagari}, {0x0dff, other}, {0x0e7f, thai}, {0x10ff, other}, {0x11ff, hangul}, {0x1fff, other},
	{0x2fff, symbol}, {0x303f, symbol}, {0x30ff, kana}, {0x318f, hangul}, {0x33ff, symbol}, {0x9fff, han},
	{0xabff, other}, {0xd7af, hangul}, {0xf8ff, symbol}, {0xfaff, han}, {0xff64, symbol}, {0xff9f, kana},
	{0x1ffff, symbol}, {0x3ffff, han},
}

func scriptOf(r rune) script {
	i := sort.Search(len(scriptRanges), func(i int) bool { return scriptRanges[i].end >= r })
	if i == len(scriptRanges) {
		return symbol
	}
	return scriptRanges[i].is
}

// hasNoSpaces reports whether the script puts no spaces between words.
func (s script) hasNoSpaces() bool { return s == han || s == kana || s == thai }

// trimTornRune removes an incomplete rune at the end of a text. It also removes
// replacement characters there, because they stand for such runes.
func trimTornRune(text string) string {
	for {
		r, size := utf8.DecodeLastRuneInString(text)
		if r != utf8.RuneError || size == 0 {
			return text
		}
		text = text[:len(text)-size]
	}
}
