package redact

// stretch is the run of bytes of one sort that was gone through last. It ends
// at the same place from wherever inside it is looked at, so that a text full
// of beginnings costs no more than its length.
type stretch struct {
	from, to int
	// digit is where the last one stands in it, -1 if there is none.
	digit int
}

// reach makes s the stretch that at is in; it is empty if at is in none.
func (f *finder) reach(s *stretch, at int, belongs func(text []byte, at int) bool) {
	if at >= s.from && at < s.to {
		return
	}
	*s = stretch{from: at, to: at, digit: -1}
	for s.to < len(f.text) && belongs(f.text, s.to) {
		if isDigit(f.text[s.to]) {
			s.digit = s.to
		}
		s.to++
	}
	f.steps += s.to - at + 1
}

// tokenEnd is where a token ends that goes on at from, and whether it has a
// digit from there on.
func (f *finder) tokenEnd(from int, dots bool) (end int, digit bool) {
	s, belongs := &f.tokens, isToken
	if dots {
		s, belongs = &f.dotted, isDotted
	}
	f.reach(s, from, belongs)
	return s.to, s.digit >= from
}

// valueEnd is where a value ends that goes on at from without quotes.
func (f *finder) valueEnd(from int) int {
	f.reach(&f.values, from, isValue)
	return f.values.to
}

func isToken(t []byte, at int) bool {
	return isAlnum(t[at]) || t[at] == '_' || t[at] == '-'
}

func isDotted(t []byte, at int) bool {
	return isToken(t, at) || t[at] == '.' && at+1 < len(t) && isAlnum(t[at+1])
}

func isValue(t []byte, at int) bool {
	switch t[at] {
	case '"', '\'', '`', ',', ';', ')', '}', ']', '&', '<', '>':
		return false
	}
	return t[at] > ' '
}
