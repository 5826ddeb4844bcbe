// Package jsonscan reads JSON token by token without copying: every token is a
// slice of the source text. A Scanner returns tokens, a Reader walks objects and
// arrays, and Members and Elements iterate over one value.
//
// By default the scanner is strict. It requires valid JSON (RFC 8259) in valid UTF-8,
// and rejects lone surrogates and duplicate names in an object. Lenient mode also
// accepts invalid UTF-8, lone surrogates and duplicate names.
//
// A limited Reader rejects texts that would take too much work. Value functions such as
// IsNull, DecodeText and ParseInteger interpret single raw values.
//
// Strings are most of a long body, and finding their ends once took most of the proxy's CPU time
// for it. On amd64, special_amd64.s examines 64 bytes at a time, including their escapes. For 187 KB
// of prose, the scanner takes 7 us instead of 21 us with plain Go, and for 204 KB of source code,
// which has many escapes, 26 us instead of 224 us (BenchmarkScan and BenchmarkScanEscapes). The
// request parser, the packages that read responses of upstreams, package redact and the provider
// adapters use this package.
package jsonscan

// Kind is the first byte of a token. Every number has the kind '0'.
type Kind byte

// These are the kinds of tokens. Invalid means the end of the text or a syntax error.
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

// Scanner reads the tokens of one text. Call Reset before the first use.
type Scanner struct {
	src     []byte
	lenient bool
	// end is the offset after the last token. If peeked is set, next is the
	// offset of the next token and kind is its kind.
	end, next      int
	kind           Kind
	peeked         bool
	stack          []level
	names          nameStack
	escapeOverhead int
	portabilityErr *Error
}

// level is an open object or array. The bottom of the stack is the text itself.
type level struct {
	kind Kind
	// count is the number of names and values read so far at this level.
	count int
	// firstName is the index of this object's first name in Scanner.names.
	firstName int
}

// Reset starts a new text. A lenient scanner accepts invalid UTF-8, lone
// surrogates and duplicate names.
func (s *Scanner) Reset(src []byte, lenient bool) {
	s.src, s.lenient = src, lenient
	s.end, s.peeked = 0, false
	s.escapeOverhead, s.portabilityErr = 0, nil
	s.stack = append(s.stack[:0], level{})
	s.names.reset()
}

// Offset returns the byte offset after the last token.
func (s *Scanner) Offset() int { return s.end }

// EscapeOverhead returns how many bytes shorter the strings read so far would be with
// their escapes decoded to UTF-8. Names count as strings.
func (s *Scanner) EscapeOverhead() int { return s.escapeOverhead }

// PortabilityError reports the first token that is valid JSON but that many decoders
// reject. Such a token is a number outside the range of float64, or a name above 4 KiB. It
// returns nil if there is no such token, and always in lenient mode.
func (s *Scanner) PortabilityError() *Error { return s.portabilityErr }

// Depth returns the number of open objects and arrays.
func (s *Scanner) Depth() int { return len(s.stack) - 1 }

// CountNames returns how many names of the innermost object have been read, and
// whether the last token was a name. If the innermost level is not an object, it
// returns 0 and false.
func (s *Scanner) CountNames() (n int, lastIsName bool) {
	top := &s.stack[len(s.stack)-1]
	if top.kind != BeginObject {
		return 0, false
	}
	return (top.count + 1) / 2, top.count%2 == 1
}

// PeekKind returns the kind of the next token without reading it. If it returns
// Invalid, the next call of ReadToken returns the reason.
func (s *Scanner) PeekKind() Kind {
	if !s.peeked {
		s.kind = s.findNextToken()
		s.peeked = true
	}
	return s.kind
}

// ReadToken reads the next token and returns its raw bytes. The names of members are
// tokens, too. Commas and colons are not.
func (s *Scanner) ReadToken() ([]byte, error) {
	kind := s.PeekKind()
	s.peeked = false
	top := &s.stack[len(s.stack)-1]
	switch kind {
	case Invalid:
		return nil, s.describeError(invalidText)
	case BeginObject, BeginArray:
		top.count++
		s.end = s.next + 1
		s.stack = append(s.stack, level{kind: kind, firstName: s.names.len()})
		return s.src[s.next:s.end], nil
	case EndObject, EndArray:
		s.names.truncate(top.firstName)
		s.stack = s.stack[:len(s.stack)-1]
		s.end = s.next + 1
		return s.src[s.next:s.end], nil
	}
	isName := top.kind == BeginObject && top.count%2 == 0
	end := s.scanScalar(kind)
	if end < 0 {
		return nil, s.describeError(invalidText)
	}
	top.count++
	s.end = end
	raw := s.src[s.next:end]
	if isName && !s.lenient && !s.addName(raw, top.firstName) {
		return nil, s.describeError("duplicate name")
	}
	return raw, nil
}

// addName records a name of the innermost object. from is the index of the object's first
// name. addName returns false if the object already has that name.
func (s *Scanner) addName(raw []byte, from int) bool {
	if len(raw) > maxNameLength {
		s.notePortabilityError("a name is too long")
	}
	return s.names.addUnique(raw, from)
}

// maxNameLength is far above the length of names in real requests, in bytes.
const maxNameLength = 4 << 10

// notePortabilityError records a portability problem at s.next. Only the first problem
// is recorded.
func (s *Scanner) notePortabilityError(text string) {
	if s.portabilityErr == nil {
		s.portabilityErr = &Error{Offset: s.next, Text: text}
	}
}

// CheckEnd returns an error unless exactly one complete value was read and nothing
// follows it.
func (s *Scanner) CheckEnd() error {
	at := s.skipSpace(s.end)
	if len(s.stack) != 1 || s.stack[0].count != 1 || at < len(s.src) {
		return &Error{Offset: at, Text: "unexpected data after the JSON value"}
	}
	return nil
}

// findNextToken sets next to the start of the next token and returns its kind.
// It skips white space and the required comma or colon.
func (s *Scanner) findNextToken() Kind {
	at := s.skipSpace(s.end)
	top := &s.stack[len(s.stack)-1]
	// In ASCII, a closing bracket or brace is the opening one plus 2.
	needed, closing := byte(0), byte(top.kind)+2
	switch {
	case top.kind == Invalid:
		closing = 0
		if top.count > 0 {
			return s.stopAt(at)
		}
	case top.count == 0:
	case top.kind == BeginObject && top.count%2 == 1:
		needed, closing = ':', 0
	default:
		needed = ','
	}
	if at >= len(s.src) {
		return s.stopAt(at)
	}
	if closing != 0 && s.src[at] == closing {
		s.next = at
		return Kind(closing)
	}
	if needed != 0 {
		if s.src[at] != needed {
			return s.stopAt(at)
		}
		if at = s.skipSpace(at + 1); at >= len(s.src) {
			return s.stopAt(at)
		}
	}
	s.next = at
	kind := kindByByte[s.src[at]]
	if top.kind == BeginObject && top.count%2 == 0 && kind != String {
		return Invalid
	}
	return kind
}

func (s *Scanner) stopAt(at int) Kind {
	s.next = at
	return Invalid
}

// kindByByte maps the first byte of a value to its kind.
var kindByByte = [256]Kind{
	'n': Null, 'f': False, 't': True, '"': String, '{': BeginObject, '[': BeginArray, '-': Number,
	'0': Number, '1': Number, '2': Number, '3': Number, '4': Number,
	'5': Number, '6': Number, '7': Number, '8': Number, '9': Number,
}

func (s *Scanner) skipSpace(at int) int {
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
