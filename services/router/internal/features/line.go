package features

import "math/bits"

// lineStats collects data about a line. isCode uses the data at the end of the line.
type lineStats struct {
	from int
	// begun is true after the first byte that is not blank. first is that byte. indent is
	// the number of bytes before that byte.
	begun  bool
	first  byte
	last   byte
	indent int

	words, signs, codePairs int64
	operators               int64
	// operand is true after a number or a name, where an operator may follow.
	operand bool
	latex   bool
	// opening is the meaning of the first word.
	opening meaning
	// sentenceStarts is the set of the questions and tasks that begin sentences of the line.
	sentenceStarts meaning
	meanings       meaning
	keywordCount   int64
	votes          [latinLanguages]uint8
}

func (l *lineStats) begin(text string, at int) {
	if !l.begun {
		l.begun, l.first, l.indent = true, text[at], at-l.from
	}
}

func (l *lineStats) addWord(is meaning, first bool) {
	l.words++
	l.last, l.operand = 'a', true
	if is == 0 {
		return
	}
	l.meanings |= is
	if first {
		l.opening = is
	}
	if is&keywords != 0 {
		l.keywordCount++
	}
	for set := uint64(is & languages); set != 0; set &= set - 1 {
		if at := bits.TrailingZeros64(set); l.votes[at] < 255 {
			l.votes[at]++
		}
	}
}

// endLine adds the current line to the totals.
func (s *scanner) endLine() {
	l := &s.line
	if !l.begun {
		s.line = lineStats{}
		return
	}
	s.vector[lines]++
	isCode := s.inFence || l.isCode(s.text[l.from:s.at], s.wasCode)
	if isCode {
		s.codeBytes += int64(s.at-l.from) + 1
		s.voteCodeLanguages(l.meanings)
	} else {
		s.vector[operators] += l.operators
		s.countListItem()
		s.setSentenceFeatures(l.sentenceStarts)
		for i, n := range l.votes {
			s.languageVotes[i] += int64(n)
		}
	}
	s.countTraceLine()
	s.wasCode = isCode && !s.inFence
	s.line = lineStats{}
}

func (s *scanner) setSentenceFeatures(says meaning) {
	for set := says; set != 0; set &= set - 1 {
		switch first := lowestBit(set); {
		case first&asks != 0:
			s.vector[asksWhat+feature(bitIndex(first, what))] = 1
		default:
			s.vector[taskWrite+feature(bitIndex(first, write))] = 1
		}
	}
}

func (s *scanner) voteCodeLanguages(means meaning) {
	for set := uint64(means & keywords); set != 0; set &= set - 1 {
		s.codeVotes[bits.TrailingZeros64(set)-bits.TrailingZeros64(uint64(golang))+1]++
	}
}

// isCode reports whether the line is code. It gives points for signs and keywords that
// are typical of code. Three points are enough. After a line of code, one point or an
// indent of two bytes is enough. LaTeX is never code, and neither is a long line of words
// with few signs.
func (l *lineStats) isCode(text string, afterCode bool) bool {
	size := int64(len(text) - l.indent)
	if l.latex || l.words > 14 && l.signs*10 < size {
		return false
	}
	points := l.signPoints(size) + l.keywordPoints(text)
	return points >= 3 || afterCode && (points >= 1 || l.indent >= 2)
}

func (l *lineStats) signPoints(size int64) int {
	points := 0
	switch l.last {
	case ';', '{', '}':
		points += 2
	case ',', '[', '(':
		if l.first == '"' || l.first == '{' || l.signs > 2 {
			points++
		}
	case '>':
		if l.first == '<' {
			points += 3
		}
	}
	if l.codePairs > 0 {
		points += 2
	}
	if l.first == '}' || l.first == '@' && l.words > 0 {
		points += 2
	}
	if l.signs*5 >= size {
		points++
	}
	if l.signs*8 >= size {
		points++
	}
	return points
}

func (l *lineStats) keywordPoints(text string) int {
	points := 0
	if l.opening&keywords != 0 {
		points++
		if l.last == ':' || l.last == '{' {
			points += 2
		}
		// SQL keywords in capitals are common in code and rare in prose.
		if at := l.indent; l.opening&sql != 0 && at+1 < len(text) && text[at+1] < 'a' && l.keywordCount > 1 {
			points += 2
		}
	}
	if l.keywordCount > 1 && l.signs > 0 {
		points++
	}
	return points
}
