// Package jsonscan reads JSON texts token by token, strictly (RFC 8259, valid
// UTF-8, no lone surrogates, no name twice in an object) unless told to be
// lenient, and without copying: what it returns are slices of the text. It
// decodes no values; its users look at the few they need. It exists because
// finding those few in a long body is
// what the edge does most: strings are passed over eight bytes at a time.
// Package openai and the translators of other formats are built on it.
package jsonscan

// Kind is the first byte of a token, with '0' for any number.
type Kind byte

// The kinds. Invalid is where the text ends, or is wrong.
const (
	Invalid     Kind = 0
	Null        Kind = 'n'
	False       Kind = 'f'
	True        Kind = 't'
	String      Kind = '"'
	Number      Kind = '0'
	BeginObject Kind = '{'
	EndObject   Kind = '}'
	BeginArray  Kind = '['
	EndArray    Kind = ']'
)

// Scanner reads one text. The zero value is ready for Reset.
type Scanner struct {
	src     []byte
	lenient bool
	// end is where the last token ended; next is where the next one begins and
	// kind what it is, once peeked is set.
	end, next int
	kind      Kind
	peeked    bool
	stack     []level
	names     names
	// saved is by how much the strings so far are longer than their text.
	saved int
	flaw  *Error
}

// level is an object or array that is open, or the text itself.
type level struct {
	kind Kind
	// count is how many names and values have been read in it.
	count int
	// names is where those of this object begin.
	names int
}

// Reset begins a text. A lenient scanner lets strings be no valid UTF-8 and
// have lone surrogates, and objects have a name twice.
func (s *Scanner) Reset(src []byte, lenient bool) {
	s.src, s.lenient = src, lenient
	s.end, s.peeked = 0, false
	s.saved, s.flaw = 0, nil
	s.stack = append(s.stack[:0], level{})
	s.names.reset()
}

// Offset is where the last token ended.
func (s *Scanner) Offset() int { return s.end }

// Saved is by how many bytes the strings read so far, names included, are
// longer as written than their text is in UTF-8.
func (s *Scanner) Saved() int { return s.saved }

// Flaw is the first thing read that is JSON but that few readers can take, nil
// if there was none: a number beyond a float64, a name of more than 4 KiB.
func (s *Scanner) Flaw() *Error { return s.flaw }

// Depth is how many objects and arrays are open.
func (s *Scanner) Depth() int { return len(s.stack) - 1 }

// Names is how many names the innermost open object has so far, and whether
// the last token was one of them. Outside of objects it is none.
func (s *Scanner) Names() (n int, last bool) {
	top := &s.stack[len(s.stack)-1]
	if top.kind != BeginObject {
		return 0, false
	}
	return (top.count + 1) / 2, top.count%2 == 1
}

// Peek is the kind of the next token. It is Invalid where there is none; Token
// then tells why.
func (s *Scanner) Peek() Kind {
	if !s.peeked {
		s.kind = s.find()
		s.peeked = true
	}
	return s.kind
}

// Token reads the next token, a name included, and returns it as written.
func (s *Scanner) Token() ([]byte, error) {
	kind := s.Peek()
	s.peeked = false
	top := &s.stack[len(s.stack)-1]
	switch kind {
	case Invalid:
		return nil, s.wrong(invalidText)
	case BeginObject, BeginArray:
		top.count++
		s.end = s.next + 1
		s.stack = append(s.stack, level{kind: kind, names: s.names.len()})
		return s.src[s.next:s.end], nil
	case EndObject, EndArray:
		s.names.cut(top.names)
		s.stack = s.stack[:len(s.stack)-1]
		s.end = s.next + 1
		return s.src[s.next:s.end], nil
	}
	isName := top.kind == BeginObject && top.count%2 == 0
	end := s.scalar(kind)
	if end < 0 {
		return nil, s.wrong(invalidText)
	}
	top.count++
	s.end = end
	raw := s.src[s.next:end]
	if isName && !s.lenient && !s.name(raw, top.names) {
		return nil, s.wrong("duplicate name")
	}
	return raw, nil
}

// name notes a name of the object whose names begin at from; it reports false
// if the object has it already.
func (s *Scanner) name(raw []byte, from int) bool {
	if len(raw) > maxName {
		s.blame("a name is too long")
	}
	return s.names.add(raw, from)
}

// maxName is longer than any name that somebody chose.
const maxName = 4 << 10

// blame notes a flaw of the token at next.
func (s *Scanner) blame(text string) {
	if s.flaw == nil {
		s.flaw = &Error{Offset: s.next, Text: text}
	}
}

// End fails unless the text is over.
func (s *Scanner) End() error {
	at := s.space(s.end)
	if len(s.stack) != 1 || s.stack[0].count != 1 || at < len(s.src) {
		return &Error{Offset: at, Text: "unexpected data after the JSON value"}
	}
	return nil
}

// find goes to the next token, past what must stand between it and the last.
func (s *Scanner) find() Kind {
	at := s.space(s.end)
	top := &s.stack[len(s.stack)-1]
	needed, closing := byte(0), byte(top.kind)+2
	switch {
	case top.kind == Invalid:
		closing = 0
		if top.count > 0 {
			return s.stop(at)
		}
	case top.count == 0:
	case top.kind == BeginObject && top.count%2 == 1:
		needed, closing = ':', 0
	default:
		needed = ','
	}
	if at >= len(s.src) {
		return s.stop(at)
	}
	if closing != 0 && s.src[at] == closing {
		s.next = at
		return Kind(closing)
	}
	if needed != 0 {
		if s.src[at] != needed {
			return s.stop(at)
		}
		if at = s.space(at + 1); at >= len(s.src) {
			return s.stop(at)
		}
	}
	s.next = at
	kind := kinds[s.src[at]]
	if top.kind == BeginObject && top.count%2 == 0 && kind != String {
		return Invalid
	}
	return kind
}

func (s *Scanner) stop(at int) Kind {
	s.next = at
	return Invalid
}

// kinds has the kind of every byte that begins a value.
var kinds = [256]Kind{
	'n': Null, 'f': False, 't': True, '"': String, '{': BeginObject, '[': BeginArray, '-': Number,
	'0': Number, '1': Number, '2': Number, '3': Number, '4': Number,
	'5': Number, '6': Number, '7': Number, '8': Number, '9': Number,
}

func (s *Scanner) space(at int) int {
	for at < len(s.src) {
		switch s.src[at] {
		case ' ', '\n', '\r', '\t':
			at++
		default:
			return at
		}
	}
	return at
}
