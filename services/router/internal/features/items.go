package features

// items tells whether the line is an option of a multiple choice or an item of
// another list.
func (s *scan) items() {
	text := s.text[s.line.from+s.line.indent : s.at]
	switch {
	case isOption(text):
		s.v[options]++
	case isItem(text):
		s.v[listItems]++
	}
}

// isOption knows "A. ", "b) ", "(C) " and "D: ".
func isOption(text string) bool {
	if len(text) > 0 && text[0] == '(' {
		text = text[1:]
	}
	if len(text) < 3 || lower(text[0]) < 'a' || lower(text[0]) > 'j' || text[2] != ' ' {
		return false
	}
	return text[1] == '.' || text[1] == ')' || text[1] == ':'
}

// isItem knows "- ", "* ", "+ " and "12. ".
func isItem(text string) bool {
	n := 0
	for n < len(text) && n < 3 && classes[text[n]] == digit {
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

// traced knows the lines of a trace: at a.b(C.java:5), File "x.py", line 5.
func (s *scan) traced() {
	l := &s.line
	text := s.text[l.from+l.indent : s.at]
	switch {
	case len(text) > 6 && text[:3] == "at " && l.last == ')' && l.signs > 1, len(text) > 6 && text[:6] == `File "`:
		s.traces += 2
	case len(text) > 6 && same("error:", text[:6]), len(text) > 6 && same("panic:", text[:6]):
		s.traces++
	}
}
