package features

import "strings"

// The constants of the FNV-1a hash. This hash can be computed while a word is read.
const (
	hashStart uint32 = 2166136261
	hashPrime uint32 = 16777619
)

// tableSize is a power of two, more than three times the size of the vocabulary. Most
// slots are therefore empty, so that one lookup rejects most unknown words.
const tableSize = 1 << 12

// Reader extracts features. It is immutable and safe for concurrent use.
type Reader struct {
	slots   [tableSize]uint16
	entries []entry
}

type entry struct {
	hash    uint32
	word    string
	meaning meaning
}

// NewReader builds the vocabulary table.
func NewReader() *Reader {
	r := &Reader{entries: make([]entry, 1, 1<<10)}
	for is, words := range vocabulary() {
		for word := range strings.FieldsSeq(words) {
			r.addEntry(word, is)
		}
	}
	return r
}

func (r *Reader) addEntry(word string, is meaning) {
	h := hashWord(word)
	at := h % tableSize
	for ; r.slots[at] != 0; at = (at + 1) % tableSize {
		if e := &r.entries[r.slots[at]]; e.word == word {
			e.meaning |= is
			return
		}
	}
	r.slots[at] = uint16(len(r.entries)) //nolint:gosec // fewer entries than slots
	r.entries = append(r.entries, entry{hash: h, word: word, meaning: is})
}

func hashWord(word string) uint32 {
	h := hashStart
	for i := range len(word) {
		h = (h ^ uint32(word[i])) * hashPrime
	}
	return h
}

// lookUp returns the meaning of a word; h is the hash of the word in lower case.
func (r *Reader) lookUp(word string, h uint32) meaning {
	for at := h % tableSize; r.slots[at] != 0; at = (at + 1) % tableSize {
		if e := &r.entries[r.slots[at]]; e.hash == h && equalFold(e.word, word) {
			return e.meaning
		}
	}
	return 0
}

// equalFold compares a lower-case word of the vocabulary with a word of a text.
func equalFold(small, word string) bool {
	if len(small) != len(word) {
		return false
	}
	for i := range len(small) {
		if small[i] != toLower(word[i]) {
			return false
		}
	}
	return true
}

func toLower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
