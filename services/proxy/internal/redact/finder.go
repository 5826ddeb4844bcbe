package redact

// finder goes through a text once and collects what is known by its form. It
// stops only at the bytes that something may begin or be recognised with.
type finder struct {
	text  []byte
	named meant
	spans []span
	// tokens, dotted and values are the stretches that were looked at last.
	tokens, dotted, values stretch
	// nest is the list or object that was looked at last: its end, and whether
	// anything was hidden in it.
	nest struct {
		to  int
		hid bool
	}
	// steps counts the bytes that were looked at beyond the first time, for
	// the promise that they grow with the text and no faster.
	steps int
}

func (f *finder) add(from, to int, kind string) {
	if from < to {
		f.spans = append(f.spans, span{from: from, to: to, kind: kind})
	}
}

func (f *finder) run() {
	for i := 0; i < len(f.text); {
		switch c := f.text[i]; {
		case isLetter(c):
			i = f.word(i)
		case isDigit(c), c == '+', c == '(':
			i = f.digits(i)
		case c == '@':
			i = f.email(i)
		case c == ':' || c == '=':
			i = f.assignment(i)
		case c == '-':
			i = f.block(i)
		default:
			i++
		}
	}
}

// word looks at a word that begins here and returns where to go on.
func (f *finder) word(i int) int {
	if f.isUUID(i) {
		return i + uuidLen
	}
	if end := f.key(i); end > i {
		f.add(i, end, kindKey)
		return end
	}
	end := i
	for end < len(f.text) && isLetter(f.text[end]) {
		end++
	}
	if end == len(f.text) || !isDigit(f.text[end]) {
		return end
	}
	// Nothing but a card's number is looked for that has letters before it.
	from := end
	for end < len(f.text) && isAlnum(f.text[end]) {
		end++
	}
	if isCard(f.text[from:end]) {
		f.add(from, end, kindCard)
	}
	return end
}

const uuidLen = 36

// isUUID keeps identifiers from being taken for numbers of cards or phones.
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
