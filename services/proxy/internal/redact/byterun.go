package redact

// byteRun is the last run of similar bytes that was scanned. A later scan that begins
// inside the run reuses its end. So the time stays linear even if many scans begin in one
// run.
type byteRun struct {
	from, to int
	// digit is the position of the run's last digit, or -1 if the run has none.
	digit int
}

// extendRun sets s to the run that begins at position start. belongs reports whether a byte
// belongs to the run. If s already contains the position, s stays unchanged.
func (f *finder) extendRun(s *byteRun, start int, belongs func(text []byte, i int) bool) {
	if start >= s.from && start < s.to {
		return
	}
	*s = byteRun{from: start, to: start, digit: -1}
	for s.to < len(f.text) && belongs(f.text, s.to) {
		if isDigit(f.text[s.to]) {
			s.digit = s.to
		}
		s.to++
	}
	f.steps += s.to - start + 1
}

// findTokenEnd returns the end of the token at position from, and whether the token contains a
// digit at or after that position. dots allows dots inside the token.
func (f *finder) findTokenEnd(from int, dots bool) (end int, digit bool) {
	s, belongs := &f.tokens, isTokenByte
	if dots {
		s, belongs = &f.dotted, isDottedTokenByte
	}
	f.extendRun(s, from, belongs)
	return s.to, s.digit >= from
}

// findValueEnd returns the end of the unquoted value at position from.
func (f *finder) findValueEnd(from int) int {
	f.extendRun(&f.values, from, isValueByte)
	return f.values.to
}

func isTokenByte(t []byte, at int) bool {
	return isAlnum(t[at]) || t[at] == '_' || t[at] == '-'
}

func isDottedTokenByte(t []byte, at int) bool {
	return isTokenByte(t, at) || t[at] == '.' && at+1 < len(t) && isAlnum(t[at+1])
}

func isValueByte(t []byte, at int) bool {
	switch t[at] {
	case '"', '\'', '`', ',', ';', ')', '}', ']', '&', '<', '>':
		return false
	}
	return t[at] > ' '
}
