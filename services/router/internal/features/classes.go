package features

import "unicode/utf8"

// class is what a byte is.
type class uint8

const (
	sign class = iota
	blank
	newline
	digit
	letter
	high
)

// classes of the bytes. It never changes.
var classes = classify256()

func classify256() (all [256]class) {
	for i := range all {
		switch c := byte(i); {
		case c >= utf8.RuneSelf:
			all[i] = high
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

// folded is the small letter of what a word may have in ASCII, and 0 for what
// it may not. It never changes.
var folded = fold256()

func fold256() (all [256]byte) {
	for i := range all {
		if c := byte(i); classes[i] == letter || classes[i] == digit {
			all[i] = lower(c)
		}
	}
	return all
}

// script is the writing that a rune beyond ASCII belongs to.
type script uint8

const (
	// symbol is no letter.
	symbol script = iota
	latin
	greek
	cyrillic
	ukrainian // letters that Russian lacks
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

// ranges of runes, in order, each up to and including its end.
var ranges = [...]struct {
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
	low, end := 0, len(ranges)
	for low < end {
		if mid := (low + end) / 2; ranges[mid].end < r {
			low = mid + 1
		} else {
			end = mid
		}
	}
	if low == len(ranges) {
		return symbol
	}
	return ranges[low].is
}

// unspaced are scripts that put no blanks between words.
func (s script) unspaced() bool { return s == han || s == kana || s == thai }

// whole is the text without a rune that was torn when it was cut, or what
// stands for one.
func whole(text string) string {
	for {
		r, size := utf8.DecodeLastRuneInString(text)
		if r != utf8.RuneError || size == 0 {
			return text
		}
		text = text[:len(text)-size]
	}
}
