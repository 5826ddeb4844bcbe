package predict

import (
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// wordRows is the number of rows that words are hashed to. It is a power of two.
const wordRows = 1 << 15

// maxWords limits the distinct words of a text that count, and so the time of a
// prediction. It is more than the texts of the training have.
const maxWords = 2048

// wordSet collects the rows of the distinct words of a text.
type wordSet struct {
	seen [wordRows / 64]uint64
	rows []uint16
}

// read replaces the set by the words of a text. Words are runs of letters and digits. Case
// does not matter, and all digits are alike: 125 and 340 are the same word. In scripts
// without spaces, every letter and every pair of letters is a word.
func (s *wordSet) read(text string) {
	s.reset()
	hash := uint32(hashStart)
	inWord, previous := false, rune(-1)
	for i := 0; i < len(text) && len(s.rows) < maxWords; {
		c, size := rune(text[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRuneInString(text[i:])
		}
		i += size
		letter, isWord := foldRune(c)
		if isWord && c < firstUnspaced {
			hash, inWord, previous = hashRune(hash, letter), true, -1
			continue
		}
		if inWord {
			s.add(hash)
			hash, inWord = hashStart, false
		}
		if !isWord {
			previous = -1
			continue
		}
		s.add(hashRune(hashStart, letter))
		if previous >= 0 {
			s.add(hashRune(hashRune(hashStart, previous), letter))
		}
		previous = letter
	}
	if inWord {
		s.add(hash)
	}
}

func (s *wordSet) reset() {
	for _, row := range s.rows {
		s.seen[row/64] = 0
	}
	s.rows = s.rows[:0]
}

// add adds a word. Its row is taken from the upper bits of the hash, which are mixed best.
func (s *wordSet) add(hash uint32) {
	row := uint16(bits.RotateLeft32(hash*hashMix, 15) & (wordRows - 1)) //nolint:gosec // masked
	if bit := uint64(1) << (row % 64); s.seen[row/64]&bit == 0 {
		s.seen[row/64] |= bit
		s.rows = append(s.rows, row)
	}
}

const (
	hashStart = 2166136261
	hashPrime = 16777619
	hashMix   = 0x9E3779B1
	// firstUnspaced is the first rune of the scripts of East Asia.
	firstUnspaced = 0x2E80
)

func hashRune(hash uint32, c rune) uint32 {
	return (hash ^ uint32(c)) * hashPrime //nolint:gosec // the bits are hashed
}

// foldRune returns the lower-case letter, or 0 for a digit. It reports whether the rune is
// part of a word.
func foldRune(c rune) (rune, bool) {
	switch {
	case c >= 'a' && c <= 'z':
		return c, true
	case c >= 'A' && c <= 'Z':
		return c + 'a' - 'A', true
	case c >= '0' && c <= '9':
		return '0', true
	case c < utf8.RuneSelf:
		return 0, false
	}
	return unicode.ToLower(c), unicode.IsLetter(c)
}
