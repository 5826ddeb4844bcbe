package features

import "strings"

// mark takes a sign of ASCII.
func (s *scan) mark(c byte) {
	l := &s.line
	l.begin(s.text, s.at)
	switch c {
	case '`':
		if s.tick() {
			return
		}
	case '?':
		s.question()
	case ',':
		s.commaAt, s.numberAt = s.v[words], never
	case '.', '!', ':', ';':
		s.endSentence()
	case '=', '+', '-', '*', '/', '<', '>', '^', '%':
		s.operator(c)
	}
	if c != '.' && c != ',' && c != '?' && c != '!' && c != '\'' && c != '-' && c != ':' {
		l.signs++
	}
	if isPair(s.peek(-1), c) {
		l.pairs++
	}
	l.last = c
	s.at++
	s.bulleted(c)
}

// question ends a sentence that asks; "??" is one of them.
func (s *scan) question() {
	if s.fenced || s.peek(-1) == '?' {
		return
	}
	s.v[questions]++
	if s.doubt {
		s.line.says |= yesNo
	}
	s.start, s.doubt = true, false
}

// endSentence takes a full stop for one only where something may begin behind.
func (s *scan) endSentence() {
	if after := classes[s.peek(1)]; after == blank || after == newline {
		s.start, s.doubt = true, false
	}
}

// bulleted lets a sentence begin behind the mark of a list or a quote.
func (s *scan) bulleted(c byte) {
	if s.line.words == 0 && (c == '-' || c == '*' || c == '#' || c == '>' || c == '"' || c == '(') {
		s.start = true
	}
}

// tick takes a backtick, and tells whether it was a fence.
func (s *scan) tick() bool {
	if s.line.words > 0 || !strings.HasPrefix(s.text[s.at:], "```") {
		s.ticks++
		return false
	}
	s.at += len("```")
	if s.fenced = !s.fenced; s.fenced {
		s.v[fences]++
		s.stray = true
		from := s.at
		for s.at < len(s.text) && classes[s.text[s.at]] != newline && classes[s.text[s.at]] != blank {
			s.at++
		}
		s.named(s.text[from:s.at])
	}
	return true
}

// named counts the language that a fence names for more than any keyword.
func (s *scan) named(name string) {
	if len(name) <= len("typescript") {
		s.programs[fenced(strings.ToLower(name))] += 20
	}
}

// operator counts a sign that stands between two numbers or names. A hyphen
// and a slash do only beside a digit.
func (s *scan) operator(c byte) {
	if !s.line.operand {
		return
	}
	before, after := s.peek(-1), s.peek(1)
	if before == ' ' {
		before = s.peek(-2)
	}
	if after == ' ' {
		after = s.peek(2)
	}
	isDigit := classes[before] == digit || classes[after] == digit
	isName := classes[after] == letter || classes[after] == digit || after == '(' || after == '\\' || after == '$'
	if isName && (isDigit || c == '=' || c == '^' || c == '+') {
		s.line.operators++
	}
}

// isPair knows signs that stand side by side in code and hardly elsewhere.
func isPair(a, b byte) bool {
	switch uint16(a)<<8 | uint16(b) {
	case '='<<8 | '=', '!'<<8 | '=', '<'<<8 | '=', '>'<<8 | '=', '='<<8 | '>', '-'<<8 | '>', ':'<<8 | '=', ':'<<8 | ':',
		'&'<<8 | '&', '|'<<8 | '|', '+'<<8 | '=', '-'<<8 | '=', '('<<8 | ')', '['<<8 | ']', '{'<<8 | '}', '<'<<8 | '/',
		'/'<<8 | '>', '/'<<8 | '/', '/'<<8 | '*', '*'<<8 | '/', '+'<<8 | '+', '#'<<8 | '!':
		return true
	}
	return false
}
