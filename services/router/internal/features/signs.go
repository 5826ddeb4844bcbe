package features

import "strings"

func (s *scanner) readSign(c byte) {
	l := &s.line
	l.begin(s.text, s.at)
	switch c {
	case '`':
		if s.readBacktick() {
			return
		}
	case '?':
		s.endQuestion()
	case ',':
		s.commaAt, s.numberAt = s.vector[words], never
	case '.', '!', ':', ';':
		s.endSentence()
	case '=', '+', '-', '*', '/', '<', '>', '^', '%':
		s.countOperator(c)
	}
	if c != '.' && c != ',' && c != '?' && c != '!' && c != '\'' && c != '-' && c != ':' {
		l.signs++
	}
	if isCodePair(s.peekByte(-1), c) {
		l.codePairs++
	}
	l.last = c
	s.at++
	s.startAfterBullet(c)
}

// endQuestion ends a question. Repeated question marks count once.
func (s *scanner) endQuestion() {
	if s.inFence || s.peekByte(-1) == '?' {
		return
	}
	s.vector[questions]++
	if s.maybeYesNo {
		s.line.sentenceStarts |= yesNo
	}
	s.atSentenceStart, s.maybeYesNo = true, false
}

// endSentence ends the sentence if a blank or a line break follows the punctuation
// character. The full stop in "3.5" does not end the sentence.
func (s *scanner) endSentence() {
	if after := byteClasses[s.peekByte(1)]; after == blank || after == newline {
		s.atSentenceStart, s.maybeYesNo = true, false
	}
}

// startAfterBullet marks a sentence start after a sign such as a list bullet or a
// quotation mark, if no word of the line precedes the sign.
func (s *scanner) startAfterBullet(c byte) {
	if s.line.words == 0 && (c == '-' || c == '*' || c == '#' || c == '>' || c == '"' || c == '(') {
		s.atSentenceStart = true
	}
}

// readBacktick processes a backtick and reports whether it begins or ends a fence.
func (s *scanner) readBacktick() bool {
	if s.line.words > 0 || !strings.HasPrefix(s.text[s.at:], "```") {
		s.backticks++
		return false
	}
	s.at += len("```")
	if s.inFence = !s.inFence; s.inFence {
		s.vector[fences]++
		s.notGreeting = true
		from := s.at
		for s.at < len(s.text) && byteClasses[s.text[s.at]] != newline && byteClasses[s.text[s.at]] != blank {
			s.at++
		}
		s.voteFenceLanguage(s.text[from:s.at])
	}
	return true
}

// voteFenceLanguage adds 20 votes for the language that is named after the opening
// backticks of a code block. A keyword adds only 2 votes.
func (s *scanner) voteFenceLanguage(name string) {
	if len(name) <= len("typescript") {
		s.codeVotes[fenceLanguages[strings.ToLower(name)]] += 20
	}
}

// countOperator counts an operator between two numbers or names. Only =, ^ and + count
// without a digit beside them, because the other signs are common in prose.
func (s *scanner) countOperator(c byte) {
	if !s.line.operand {
		return
	}
	before, after := s.peekByte(-1), s.peekByte(1)
	if before == ' ' {
		before = s.peekByte(-2)
	}
	if after == ' ' {
		after = s.peekByte(2)
	}
	isDigit := byteClasses[before] == digit || byteClasses[after] == digit
	isName := byteClasses[after] == letter || byteClasses[after] == digit || after == '(' || after == '\\' || after == '$'
	if isName && (isDigit || c == '=' || c == '^' || c == '+') {
		s.line.operators++
	}
}

// isCodePair recognizes pairs of signs that are common in code and rare elsewhere.
func isCodePair(a, b byte) bool {
	switch uint16(a)<<8 | uint16(b) {
	case '='<<8 | '=', '!'<<8 | '=', '<'<<8 | '=', '>'<<8 | '=', '='<<8 | '>', '-'<<8 | '>', ':'<<8 | '=', ':'<<8 | ':',
		'&'<<8 | '&', '|'<<8 | '|', '+'<<8 | '=', '-'<<8 | '=', '('<<8 | ')', '['<<8 | ']', '{'<<8 | '}', '<'<<8 | '/',
		'/'<<8 | '>', '/'<<8 | '/', '/'<<8 | '*', '*'<<8 | '/', '+'<<8 | '+', '#'<<8 | '!':
		return true
	}
	return false
}
