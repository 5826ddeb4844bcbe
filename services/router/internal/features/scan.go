package features

// scan is one pass over a text.
type scan struct {
	*Reader
	text string
	at   int
	line line
	v    Vector

	// start is set where a sentence begins, and while only lead words follow.
	start  bool
	fenced bool
	// wasCode is whether the line before was code.
	wasCode bool

	// number is the last number read, and numberAt the word it stands before.
	number   int64
	numberAt int64
	// The others are where the last word or sign of a kind stood.
	demandAt, deniedAt, stepAt, commaAt int64
	// doubt is set in a sentence that may ask for yes or no.
	doubt bool
	// stray is set by a word that does not belong into a greeting.
	stray, greets bool

	codeBytes, digits, ticks int64
	scripts                  [scriptCount]int64
	votes                    [latinLanguages]int64
	programs                 [codeLanguages + 1]int64
	traces                   int64
}

// never is so far back that nothing is near it.
const never = -100

// Read reads the features of a text in one pass and allocates nothing. What is
// not UTF-8 parts words, and a rune torn at the end is as if it were not there.
func (r *Reader) Read(text string) Vector {
	s := scan{Reader: r, text: whole(text), start: true, numberAt: never, demandAt: never, deniedAt: never, stepAt: never, commaAt: never}
	if s.text == "" {
		return s.v
	}
	for s.at < len(s.text) {
		s.next()
	}
	s.endLine()
	s.conclude()
	return s.v
}

func (s *scan) next() {
	c := s.text[s.at]
	switch classes[c] {
	case blank:
		s.at++
	case newline:
		s.endLine()
		s.at++
		s.line.from = s.at
		s.start = true
	case digit:
		s.readNumber()
	case letter:
		s.readWord()
	case high:
		s.readHigh()
	default:
		s.mark(c)
	}
}

// peek is the byte so many places on, and 0 beyond the ends.
func (s *scan) peek(by int) byte {
	if at := s.at + by; at >= 0 && at < len(s.text) {
		return s.text[at]
	}
	return 0
}

// readNumber takes 1,000.5 as one number.
func (s *scan) readNumber() {
	s.line.begin(s.text, s.at)
	var n int64
	for ; s.at < len(s.text); s.at++ {
		c := s.text[s.at]
		if classes[c] == digit {
			s.digits++
			n = min(n*10+int64(c-'0'), maxNumber)
		} else if c != '.' && c != ',' || classes[s.peek(1)] != digit {
			break
		}
	}
	s.v[numbers]++
	s.line.last = '0'
	s.line.operand = true
	s.number, s.numberAt = n, s.v[words]
	s.stray, s.start = true, false
}

// maxNumber is more than any length that is asked for.
const maxNumber = 1_000_000

// skip goes over an address up to the next blank.
func (s *scan) skip() {
	s.v[urls]++
	for s.at < len(s.text) && classes[s.text[s.at]] != blank && classes[s.text[s.at]] != newline {
		s.at++
	}
	s.stray, s.start = true, false
}
