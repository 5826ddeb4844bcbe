package features

// countListItem counts the line if it is an option of a multiple choice or an item of
// another list.
func (s *scanner) countListItem() {
	text := s.text[s.line.from+s.line.indent : s.at]
	switch {
	case isOption(text):
		s.vector[options]++
	case isListItem(text):
		s.vector[listItems]++
	}
}

// isOption recognizes "A. ", "b) ", "(C) " and "D: ".
func isOption(text string) bool {
	if len(text) > 0 && text[0] == '(' {
		text = text[1:]
	}
	if len(text) < 3 || toLower(text[0]) < 'a' || toLower(text[0]) > 'j' || text[2] != ' ' {
		return false
	}
	return text[1] == '.' || text[1] == ')' || text[1] == ':'
}

// isListItem recognizes "- ", "* ", "+ ", "12. " and "12) ".
func isListItem(text string) bool {
	n := 0
	for n < len(text) && n < 3 && byteClasses[text[n]] == digit {
		n++
	}
	if n+1 >= len(text) || text[n+1] != ' ' {
		return false
	}
	if n > 0 {
		return text[n] == '.' || text[n] == ')'
	}
	return text[0] == '-' || text[0] == '*' || text[0] == '+'
}

// countTraceLine recognizes lines of a stack trace, such as `at a.b(C.java:5)` and
// `File "x.py", line 5`.
func (s *scanner) countTraceLine() {
	l := &s.line
	text := s.text[l.from+l.indent : s.at]
	switch {
	case len(text) > 6 && text[:3] == "at " && l.last == ')' && l.signs > 1, len(text) > 6 && text[:6] == `File "`:
		s.tracePoints += 2
	case len(text) > 6 && equalFold("error:", text[:6]), len(text) > 6 && equalFold("panic:", text[:6]):
		s.tracePoints++
	}
}
