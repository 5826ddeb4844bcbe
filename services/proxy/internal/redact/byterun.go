package redact

// byteRun is the last run of similar bytes that was scanned. A later scan that begins
// inside the run reuses its end. So the time stays linear even if many scans begin in one
// run.
type byteRun struct {
	from, to int
	// digit is the position of the run's last digit, or -1 if the run has none.
	digit int
}

// extendRun sets s to the run that starts at position at. belongs reports whether a byte
// belongs to the run. If s already contains the position, s stays unchanged.
func (f *finder) extendRun(s *byteRun, at int, belongs func(text []byte, at int) bool) {
	if at >= s.from && at < s.to {
		return
	}
	*s = byteRun{from: at, to: at, digit: -1}
	for s.to < len(f.text) && belongs(f.text, s.to) {
		if isDigit(f.text[s.to]) {
			s.digit = s.to
		}
		s.to++
	}
	f.steps += s.to - at + 1
}

// findTokenEnd returns where the token at from ends, and whether it contains a digit at or
// after from. dots allows dots inside the token.
func (f *finder) findTokenEnd(from int, dots bool) (end int, digit bool) {
	s, belongs := &f.tokens, isTokenByte
	if dots {
		s, belongs = &f.dotted, isDottedTokenByte
	}
	f.extendRun(s, from, belongs)
	return s.to, s.digit >= from
}

// findValueEnd returns where the unquoted value at from ends.
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
