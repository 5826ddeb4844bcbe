package features

import (
	"strings"
	"unicode/utf8"
)

func (s *scanner) readWord() {
	from, at, h := s.at, s.at, hashStart
	for s.at < len(s.text) {
		// Fast path: most text is ASCII.
		for at < len(s.text) && foldedBytes[s.text[at]] != 0 {
			h = (h ^ uint32(foldedBytes[s.text[at]])) * hashPrime
			at++
		}
		s.scriptLetters[latin] += int64(at - s.at)
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
	s.addWord(s.text[from:s.at], from, h)
}

// readLetter counts a non-ASCII letter and returns its size in bytes. It returns 0 if the
// next rune is not such a letter.
func (s *scanner) readLetter() int {
	if s.peekByte(0) < utf8.RuneSelf {
		return 0
	}
	r, size := utf8.DecodeRuneInString(s.text[s.at:])
	is := scriptOf(r)
	if is == symbol {
		return 0
	}
	s.scriptLetters[is]++
	return size
}

// readNonASCII reads a word or a sign that begins with a non-ASCII rune.
func (s *scanner) readNonASCII() {
	r, size := utf8.DecodeRuneInString(s.text[s.at:])
	if scriptOf(r) != symbol {
		s.readWord()
		return
	}
	s.line.begin(s.text, s.at)
	switch {
	case r == 0xff1f || r == 0x061f:
		s.endQuestion()
	case r == 0x3002 || r == 0xff01:
		s.atSentenceStart = true
	case r >= 0x2200 && r <= 0x22ff || r == 0x00d7 || r == 0x00f7 || r == 0x00b1 || r == 0x00b2:
		s.line.operators++
	}
	s.line.last = 0xff
	s.at += size
}

// addWord processes a word. from is the offset at which the word begins, and h is the
// hash of the word.
func (s *scanner) addWord(word string, from int, h uint32) {
	if from > 0 && s.text[from-1] == '\\' {
		word, h = s.readLatexCommand(word)
	}
	is := s.lookUp(word, h)
	first := s.line.words == 0
	s.line.begin(s.text, from)
	s.line.addWord(is, first)
	if is&languageName != 0 && !s.inFence {
		s.codeVotes[bitIndex(is&keywords, golang)+1] += 2
	}
	s.skipURLAfter(word)
	if !s.inFence {
		s.applyMeaning(word, from, is)
	}
	s.atSentenceStart = s.atSentenceStart && is&leadWord != 0 || s.startsClause(word, is)
	s.vector[words]++
	if isErrorName(word, is) {
		s.tracePoints++
	}
}

// skipURLAfter skips the rest of a URL that begins with the word just read.
func (s *scanner) skipURLAfter(word string) {
	scheme := word == "http" || word == "https" || word == "ftp"
	if scheme && strings.HasPrefix(s.text[s.at:], "://") || word == "www" && s.peekByte(0) == '.' {
		s.skipURL()
	}
}

// isErrorName recognizes words such as TypeError and NullPointerException.
func isErrorName(word string, is meaning) bool {
	if is&failure != 0 {
		return true
	}
	return len(word) > len("Error") && word[0] < 'a' && (strings.HasSuffix(word, "Error") || strings.HasSuffix(word, "Exception"))
}
