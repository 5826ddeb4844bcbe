package features

// scanner is one pass over a text.
type scanner struct {
	*Reader
	text string
	at   int
	line lineStats
	v    Vector

	// atSentenceStart is set where a sentence begins, and while only lead words follow.
	atSentenceStart bool
	inFence         bool
	// wasCode is set if the previous line was code.
	wasCode bool

	// number is the last number. numberAt is the index of the word after it.
	number   int64
	numberAt int64
	// Each of these is the word index of the last demand, negation, step or comma.
	demandAt, negatedAt, stepAt, commaAt int64
	// maybeYesNo is set in a sentence that may be a yes/no question.
	maybeYesNo bool
	// notGreeting is set by a word that does not occur in greetings. hasGreeting is
	// set by a word of greeting or thanks.
	notGreeting, hasGreeting bool

	codeBytes, digits, backticks int64
	scriptLetters                [scriptCount]int64
	languageVotes                [latinLanguages]int64
	codeVotes                    [codeLanguages + 1]int64
	tracePoints                  int64
}

// never is a word index that is far from every word.
const never = -100

// Read extracts the features of a text in one pass without allocating. Invalid UTF-8
// separates words. A rune that is cut off at the end is ignored.
func (r *Reader) Read(text string) Vector {
	s := scanner{Reader: r, text: trimTornRune(text), atSentenceStart: true, numberAt: never, demandAt: never, negatedAt: never, stepAt: never, commaAt: never}
	if s.text == "" {
		return s.v
	}
	for s.at < len(s.text) {
		s.readNext()
	}
	s.endLine()
	s.computeFeatures()
	return s.v
}

func (s *scanner) readNext() {
	c := s.text[s.at]
	switch byteClasses[c] {
	case blank:
		s.at++
	case newline:
		s.endLine()
		s.at++
		s.line.from = s.at
		s.atSentenceStart = true
	case digit:
		s.readNumber()
	case letter:
		s.readWord()
	case nonASCII:
		s.readNonASCII()
	default:
		s.readSign(c)
	}
}

// peekByte returns the byte at an offset from the position, 0 outside the text.
func (s *scanner) peekByte(by int) byte {
	if at := s.at + by; at >= 0 && at < len(s.text) {
		return s.text[at]
	}
	return 0
}

// readNumber reads 1,000.5 as one number.
func (s *scanner) readNumber() {
	s.line.begin(s.text, s.at)
	var n int64
	for ; s.at < len(s.text); s.at++ {
		c := s.text[s.at]
		if byteClasses[c] == digit {
			s.digits++
			n = min(n*10+int64(c-'0'), maxNumber)
		} else if c != '.' && c != ',' || byteClasses[s.peekByte(1)] != digit {
			break
		}
	}
	s.v[numbers]++
	s.line.last = '0'
	s.line.operand = true
	s.number, s.numberAt = n, s.v[words]
	s.notGreeting, s.atSentenceStart = true, false
}

// maxNumber is larger than any requested length.
const maxNumber = 1_000_000

// skipURL skips a URL up to the next blank.
func (s *scanner) skipURL() {
	s.v[urls]++
	for s.at < len(s.text) && byteClasses[s.text[s.at]] != blank && byteClasses[s.text[s.at]] != newline {
		s.at++
	}
	s.notGreeting, s.atSentenceStart = true, false
}
