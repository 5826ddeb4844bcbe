package features

import (
	"strings"
	"unicode/utf8"
)

// readWord reads letters, digits and underscores that follow each other.
func (s *scan) readWord() {
	from, at, h := s.at, s.at, hashStart
	for s.at < len(s.text) {
		// Most text is ASCII, and most of the time goes by here.
		for at < len(s.text) && folded[s.text[at]] != 0 {
			h = (h ^ uint32(folded[s.text[at]])) * hashPrime
			at++
		}
		s.scripts[latin] += int64(at - s.at)
		s.at = at
		size := s.readLetter()
		for ; size > 0; size-- {
			h = (h ^ uint32(s.text[at])) * hashPrime
			at++
		}
		if at == s.at {
			break
		}
		s.at = at
	}
	s.take(s.text[from:s.at], from, h)
}

// readLetter counts a letter beyond ASCII and returns its size; 0 if there is
// none here.
func (s *scan) readLetter() int {
	if s.peek(0) < utf8.RuneSelf {
		return 0
	}
	r, size := utf8.DecodeRuneInString(s.text[s.at:])
	is := scriptOf(r)
	if is == symbol {
		return 0
	}
	s.scripts[is]++
	return size
}

// readHigh reads what begins beyond ASCII: a word, or a sign.
func (s *scan) readHigh() {
	r, size := utf8.DecodeRuneInString(s.text[s.at:])
	if scriptOf(r) != symbol {
		s.readWord()
		return
	}
	s.line.begin(s.text, s.at)
	switch {
	case r == 0xff1f || r == 0x061f:
		s.question()
	case r == 0x3002 || r == 0xff01:
		s.start = true
	case r >= 0x2200 && r <= 0x22ff || r == 0x00d7 || r == 0x00f7 || r == 0x00b1 || r == 0x00b2:
		s.line.operators++
	}
	s.line.last = 0xff
	s.at += size
}

// take notes a word; from is where it begins.
func (s *scan) take(word string, from int, h uint32) {
	if from > 0 && s.text[from-1] == '\\' {
		word, h = s.command(word)
	}
	is := s.find(word, h)
	first := s.line.words == 0
	s.line.begin(s.text, from)
	s.line.word(is, first)
	if is&called != 0 && !s.fenced {
		s.programs[index(is&keywords, golang)+1] += 2
	}
	s.address(word)
	if !s.fenced {
		s.understand(word, from, is)
	}
	s.start = s.start && is&lead != 0 || s.follows(word, is)
	s.v[words]++
	if isFailure(word, is) {
		s.traces++
	}
}

// address skips the rest of a web address that begins with the word just read.
func (s *scan) address(word string) {
	scheme := word == "http" || word == "https" || word == "ftp"
	if scheme && strings.HasPrefix(s.text[s.at:], "://") || word == "www" && s.peek(0) == '.' {
		s.skip()
	}
}

// isFailure knows words such as TypeError and NullPointerException.
func isFailure(word string, is meaning) bool {
	if is&failure != 0 {
		return true
	}
	return len(word) > len("Error") && word[0] < 'a' && (strings.HasSuffix(word, "Error") || strings.HasSuffix(word, "Exception"))
}
