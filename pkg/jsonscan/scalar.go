package jsonscan

// scanScalar returns the end offset of the string, number or literal at next, or
// -1 if it is malformed.
func (s *Scanner) scanScalar(kind Kind) int {
	switch kind {
	case String:
		return s.scanString(s.next + 1)
	case Number:
		return s.scanNumber()
	case True:
		return literalEnd(s.src, s.next, "true")
	case False:
		return literalEnd(s.src, s.next, "false")
	}
	return literalEnd(s.src, s.next, "null")
}

func literalEnd(src []byte, at int, want string) int {
	if len(src)-at < len(want) || string(src[at:at+len(want)]) != want {
		return -1
	}
	return at + len(want)
}
