package bodyreader

// maxSpaceRun is the longest run of white space between JSON tokens that a large body keeps.
// Pretty-printed JSON has shorter runs. A longer run is padding and would only occupy memory.
const maxSpaceRun = 1 << 10

// spaceSqueezer shortens long runs of white space between JSON tokens in a body that arrives in parts.
// White space inside strings is content and stays.
type spaceSqueezer struct {
	// scanned is the number of bytes that squeeze has read. inString and isEscaped are its state there.
	scanned   int
	inString  bool
	isEscaped bool
}

// squeeze shortens the runs in place and returns the number of bytes that remain. One byte of each
// run remains, because it may separate two tokens.
func (s *spaceSqueezer) squeeze(body []byte) int {
	if !hasLongRun(body[s.scanned:]) {
		return len(body)
	}
	kept, run := s.scanned, 0
	for _, b := range body[s.scanned:] {
		if s.inString || !isSpace(b) {
			kept, run = kept-excessOf(run), 0
			s.step(b)
		} else {
			run++
		}
		body[kept] = b
		kept++
	}
	kept -= excessOf(run)
	s.scanned = kept
	return kept
}

// step follows where strings begin and end.
func (s *spaceSqueezer) step(b byte) {
	switch {
	case s.isEscaped:
		s.isEscaped = false
	case s.inString && b == '\\':
		s.isEscaped = true
	case b == '"':
		s.inString = !s.inString
	}
}

func excessOf(run int) int {
	if run > maxSpaceRun {
		return run - 1
	}
	return 0
}

// hasLongRun reports whether there may be a run that squeeze shortens. It reads only a few bytes of a
// body without such a run.
func hasLongRun(part []byte) bool {
	for i := 0; i < len(part); i += maxSpaceRun {
		j := i
		for j < len(part) && isSpace(part[j]) {
			j++
		}
		if j-i >= maxSpaceRun/2 {
			return true
		}
	}
	return false
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }
