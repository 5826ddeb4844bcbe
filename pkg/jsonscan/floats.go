package jsonscan

// maxPlainFloat is the length below which a number is certainly in the range of float32 if it
// has no positive exponent.
const maxPlainFloat = 32

// SkipPlainFloats skips the elements of the array that was just entered, and returns how many
// there are. It returns 0 and skips nothing unless all elements are numbers that are clearly in
// the range of float32. The next call of NextElement leaves the array.
//
// An embedding has thousands of numbers. Reading them one by one as tokens takes twice as long
// (BenchmarkFloats).
func (r *Reader) SkipPlainFloats() int {
	if r.err != nil {
		return 0
	}
	return r.scanner.skipPlainFloats()
}

func (s *Scanner) skipPlainFloats() int {
	top := &s.stack[len(s.stack)-1]
	if top.kind != BeginArray || top.count > 0 {
		return 0
	}
	for at, count := s.skipSpace(s.end), 1; ; count++ {
		end := plainFloatEnd(s.src, at)
		if end < 0 || end >= len(s.src) {
			return 0
		}
		at = end
		if isSpace(s.src[at]) {
			if at = s.skipSpace(at); at == len(s.src) {
				return 0
			}
		}
		switch s.src[at] {
		case ']':
			top.count, s.end, s.peeked = count, end, false
			return count
		case ',':
			at = s.skipSpace(at + 1)
		default:
			return 0
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// plainFloatEnd returns the end of the number at src[at]. It returns -1 if there is none, or if
// the number may be outside the range of float32. A negative exponent only makes a number small.
func plainFloatEnd(src []byte, at int) int {
	end := mantissaEnd(src, at)
	if end > 0 && end+1 < len(src) && src[end]|0x20 == 'e' {
		if src[end+1] != '-' {
			return -1
		}
		end = digitsEnd(src, end+2)
	}
	if end-at >= maxPlainFloat {
		return -1
	}
	return end
}
