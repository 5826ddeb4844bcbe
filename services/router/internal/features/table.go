package features

import "strings"

// FNV-1a, which can be computed while a word is read.
const (
	hashStart uint32 = 2166136261
	hashPrime uint32 = 16777619
)

// slots is a power of two, some three times the words of the vocabulary, so
// that a word that is not in it is mostly refused at the first look.
const slots = 1 << 12

// Reader reads features. It never changes, and is safe for concurrent use.
type Reader struct {
	slots   [slots]uint16
	entries []entry
}

type entry struct {
	hash uint32
	word string
	is   meaning
}

// NewReader prepares the vocabulary.
func NewReader() *Reader {
	r := &Reader{entries: make([]entry, 1, 1<<10)}
	for is, words := range vocabulary() {
		for word := range strings.FieldsSeq(words) {
			r.add(word, is)
		}
	}
	return r
}

func (r *Reader) add(word string, is meaning) {
	h := hashOf(word)
	at := h % slots
	for ; r.slots[at] != 0; at = (at + 1) % slots {
		if e := &r.entries[r.slots[at]]; e.word == word {
			e.is |= is
			return
		}
	}
	r.slots[at] = uint16(len(r.entries)) //nolint:gosec // fewer entries than slots
	r.entries = append(r.entries, entry{hash: h, word: word, is: is})
}

func hashOf(word string) uint32 {
	h := hashStart
	for i := range len(word) {
		h = (h ^ uint32(word[i])) * hashPrime
	}
	return h
}

// find returns what a word stands for; h is the hash of it in small letters.
func (r *Reader) find(word string, h uint32) meaning {
	for at := h % slots; r.slots[at] != 0; at = (at + 1) % slots {
		if e := &r.entries[r.slots[at]]; e.hash == h && same(e.word, word) {
			return e.is
		}
	}
	return 0
}

// same compares a word of the vocabulary with one that may have capitals.
func same(small, word string) bool {
	if len(small) != len(word) {
		return false
	}
	for i := range len(small) {
		if small[i] != lower(word[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
