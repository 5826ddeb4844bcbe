package redact

// byteRun is the run of similar bytes that was scanned last. From every position inside
// the run, the end is the same. So many possible beginnings in one run do not cause
// repeated scans.
type byteRun struct {
	from, to int
	// digit is the position of the run's last digit, -1 if there is none.
	digit int
}

// extendRun sets s to the run that contains at. The run is empty if the byte at at does
// not belong to one.
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

// findTokenEnd returns where the token at from ends, and whether it contains a digit
// after from.
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
