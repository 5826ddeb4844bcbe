package features

// scanner holds the state of one pass over a text.
type scanner struct {
	*Reader
	text   string
	at     int
	line   lineStats
	vector Vector

	// atSentenceStart is true at the start of a sentence. It stays true while lead words
	// follow, such as "please".
	atSentenceStart bool
	inFence         bool
	// wasCode is true if the previous line was code outside a fence.
	wasCode bool

	// number is the last number. numberAt is the index of the word after it.
	number   int64
	numberAt int64
	// demandAt, negatedAt and stepAt are the indexes of the last words with the meanings
	// demand, negation and step. commaAt is the index of the word after the last comma.
	demandAt, negatedAt, stepAt, commaAt int64
	// maybeYesNo is true in a sentence that starts like a yes/no question.
	maybeYesNo bool
	// notGreeting is true after a word that does not occur in greetings.
	notGreeting bool
	// hasGreeting is true after a word of greeting or thanks.
	hasGreeting bool

	codeBytes, digits, backticks int64
	scriptLetters                [scriptCount]int64
	languageVotes                [latinLanguages]int64
	codeVotes                    [codeLanguages + 1]int64
	tracePoints                  int64
}

// never is a word index that is far from every word.
const never = -100

// Read extracts the features of a text in one pass without allocating. Invalid UTF-8
// separates words. An incomplete rune at the end is ignored.
func (r *Reader) Read(text string) Vector {
	s := scanner{Reader: r, text: trimTornRune(text), atSentenceStart: true, numberAt: never, demandAt: never, negatedAt: never, stepAt: never, commaAt: never}
	if s.text == "" {
		return s.vector
	}
	for s.at < len(s.text) {
		s.readNext()
	}
	s.endLine()
	s.computeFeatures()
	return s.vector
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

// peekByte returns the byte at an offset from the current one, 0 outside the text.
func (s *scanner) peekByte(offset int) byte {
	if at := s.at + offset; at >= 0 && at < len(s.text) {
		return s.text[at]
	}
	return 0
}

// readNumber reads a number such as 1,000.5 as one number. Its value is the part before
// the decimals.
func (s *scanner) readNumber() {
	s.line.begin(s.text, s.at)
	var n int64
	decimals := false
	for ; s.at < len(s.text); s.at++ {
		c := s.text[s.at]
		if byteClasses[c] == digit {
			s.digits++
			if !decimals {
				n = min(n*10+int64(c-'0'), maxNumber)
			}
		} else if c != '.' && c != ',' || byteClasses[s.peekByte(1)] != digit {
			break
		} else {
			decimals = decimals || !s.groupFollows()
		}
	}
	s.vector[numbers]++
	s.line.last = '0'
	s.line.operand = true
	s.number, s.numberAt = n, s.vector[words]
	s.notGreeting, s.atSentenceStart = true, false
}

// groupFollows reports whether exactly three digits follow the separator at s.at. Then it
// separates thousands, in the English and in the German way of writing. Otherwise decimals
// follow, which do not count in the value.
func (s *scanner) groupFollows() bool {
	n := 0
	for n < 4 && byteClasses[s.peekByte(n+1)] == digit {
		n++
	}
	return n == 3
}

// maxNumber limits the value of a number. It is larger than any requested length.
const maxNumber = 1_000_000

func (s *scanner) skipURL() {
	s.vector[urls]++
	for s.at < len(s.text) && byteClasses[s.text[s.at]] != blank && byteClasses[s.text[s.at]] != newline {
		s.at++
	}
	s.notGreeting, s.atSentenceStart = true, false
}
