package redact

// finder scans a text once and collects spans of data that is recognizable by its form. It
// examines only bytes at which such data can begin or be recognized.
type finder struct {
	text []byte
	// class is the class of the JSON name whose value is the text.
	class nameClass
	spans []span
	// tokens, dotted and values are the runs that were scanned last.
	tokens, dotted, values byteRun
	// lastNest is the list or object that was scanned last.
	lastNest struct {
		to       int
		redacted bool // anything in it was redacted
	}
	// steps counts the bytes that were scanned in addition to the main scan. Tests check
	// that the count is linear in the length of the text.
	steps int
}

func (f *finder) addSpan(from, to int, kind string) {
	if from < to {
		f.spans = append(f.spans, span{from: from, to: to, kind: kind})
	}
}

func (f *finder) scan() {
	for i := 0; i < len(f.text); {
		switch c := f.text[i]; {
		case isLetter(c):
			i = f.scanWord(i)
		case isDigit(c), c == '+', c == '(':
			i = f.scanDigits(i)
		case c == '@':
			i = f.scanEmail(i)
		case c == ':' || c == '=':
			i = f.scanAssignment(i)
		case c == '-':
			i = f.scanPEM(i)
		default:
			i++
		}
	}
}

// scanWord examines the word at i and returns where to continue.
func (f *finder) scanWord(i int) int {
	if f.isUUID(i) {
		return i + uuidLen
	}
	if end := f.findKeyEnd(i); end > i {
		f.addSpan(i, end, kindKey)
		return end
	}
	end := i
	for end < len(f.text) && isLetter(f.text[end]) {
		end++
	}
	if end == len(f.text) || !isDigit(f.text[end]) {
		return end
	}
	// After letters, only card numbers are recognized.
	from := end
	for end < len(f.text) && isAlnum(f.text[end]) {
		end++
	}
	if isCardNumber(f.text[from:end]) {
		f.addSpan(from, end, kindCard)
	}
	return end
}

const uuidLen = 36

// isUUID recognizes UUIDs, which could be mistaken for card or phone numbers.
func (f *finder) isUUID(i int) bool {
	t := f.text[i:]
	if len(t) < uuidLen || t[8] != '-' || t[13] != '-' || t[18] != '-' || t[23] != '-' {
		return false
	}
	for k, c := range t[:uuidLen] {
		if c != '-' && !isDigit(c) && (c|0x20)-'a' > 5 || c == '-' && k != 8 && k != 13 && k != 18 && k != 23 {
			return false
		}
	}
	return len(t) == uuidLen || !isAlnum(t[uuidLen])
}

func isDigit(c byte) bool  { return c-'0' <= 9 }
func isLetter(c byte) bool { return (c|0x20)-'a' <= 25 }
func isAlnum(c byte) bool  { return isDigit(c) || isLetter(c) }
