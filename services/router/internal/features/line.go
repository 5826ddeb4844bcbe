package features

import "math/bits"

// line is what is known of a line until its end tells whether it is code.
type line struct {
	from int
	// begun is set by the first byte that is not blank; first is that byte,
	// and indent what stands before it.
	begun  bool
	first  byte
	last   byte
	indent int

	words, signs, pairs int64
	operators           int64
	// operand is whether a sign may follow a number or a name.
	operand bool
	latex   bool
	opening meaning
	// says is how sentences of the line begin.
	says  meaning
	means meaning
	keys  int64
	votes [latinLanguages]uint8
}

func (l *line) begin(text string, at int) {
	if !l.begun {
		l.begun, l.first, l.indent = true, text[at], at-l.from
	}
}

func (l *line) word(is meaning, first bool) {
	l.words++
	l.last, l.operand = 'a', true
	if is == 0 {
		return
	}
	l.means |= is
	if first {
		l.opening = is
	}
	if is&keywords != 0 {
		l.keys++
	}
	for set := uint64(is & languages); set != 0; set &= set - 1 {
		if at := bits.TrailingZeros64(set); l.votes[at] < 255 {
			l.votes[at]++
		}
	}
}

// endLine counts the line up to here.
func (s *scan) endLine() {
	l := &s.line
	if !l.begun {
		s.line = line{}
		return
	}
	s.v[lines]++
	isCode := s.fenced || l.isCode(s.text[l.from:s.at], s.wasCode)
	if isCode {
		s.codeBytes += int64(s.at-l.from) + 1
		s.countPrograms(l.means)
	} else {
		s.v[operators] += l.operators
		s.items()
		s.said(l.says)
		for i, n := range l.votes {
			s.votes[i] += int64(n)
		}
	}
	s.traced()
	s.wasCode = isCode && !s.fenced
	s.line = line{}
}

// said sets the features of what was asked and told.
func (s *scan) said(says meaning) {
	for set := says; set != 0; set &= set - 1 {
		switch first := lowest(set); {
		case first&asks != 0:
			s.v[asksWhat+feature(index(first, what))] = 1
		default:
			s.v[taskWrite+feature(index(first, write))] = 1
		}
	}
}

func (s *scan) countPrograms(means meaning) {
	for set := uint64(means & keywords); set != 0; set &= set - 1 {
		s.programs[bits.TrailingZeros64(set)-bits.TrailingZeros64(uint64(golang))+1]++
	}
}

// isCode adds up what speaks for code; three points make it so, one is enough
// right below another line of it.
func (l *line) isCode(text string, below bool) bool {
	size := int64(len(text) - l.indent)
	if l.latex || l.words > 14 && l.signs*10 < size {
		return false
	}
	points := l.signPoints(size) + l.keyPoints(text)
	return points >= 3 || below && (points >= 1 || l.indent >= 2)
}

func (l *line) signPoints(size int64) int {
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
	if l.pairs > 0 {
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

func (l *line) keyPoints(text string) int {
	points := 0
	if l.opening&keywords != 0 {
		points++
		if l.last == ':' || l.last == '{' {
			points += 2
		}
		// SELECT is written so in code, and seldom in prose.
		if at := l.indent; l.opening&sql != 0 && at+1 < len(text) && text[at+1] < 'a' && l.keys > 1 {
			points += 2
		}
	}
	if l.keys > 1 && l.signs > 0 {
		points++
	}
	return points
}
