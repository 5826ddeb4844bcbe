package openai

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth is how deep a JSON text may nest. Real bodies stay below twenty;
// the library's own limit of 10,000 is there to save its stack, not our time.
const maxDepth = 64

// How many members there may be, as each name is compared with the others of
// its object, which costs far more than reading a text of the same length.
const (
	// maxMembers is for an object that we interpret; real ones have dozens.
	maxMembers = 1_000
	// maxNames is for any other, which may be somebody's table.
	maxNames = 10_000
	// maxRequestNames is for all objects of a request together: ten times a
	// conversation of some thousand messages.
	maxRequestNames = 250_000
)

var (
	errTooDeep  = fmt.Errorf("nested deeper than %d levels", maxDepth)
	errTooMany  = errors.New("too many members")
	errTrailing = errors.New("unexpected data after the JSON value")
)

// scanner reads one JSON text in one pass. Its first error sticks: from then on
// every method reports an end, so that callers look at err once, when done.
// Values it returns are slices of the text.
type scanner struct {
	dec jsontext.Decoder
	buf bytes.Buffer
	src []byte
	err error

	// rawName and name are the last member's name, as written and unescaped.
	rawName, name []byte
	// before is the offset at which that member begins, its comma included.
	before int
	// names is how many have been read, maxTotal how many may be, if not 0.
	names, maxTotal int
}

func (s *scanner) reset(src []byte, opts ...jsontext.Options) {
	s.buf = *bytes.NewBuffer(src)
	s.dec.Reset(&s.buf, opts...)
	s.src, s.err = src, nil
	s.names, s.maxTotal = 0, 0
}

func (s *scanner) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

func (s *scanner) failHere(err error) {
	s.fail(&jsontext.SyntacticError{ByteOffset: s.dec.InputOffset(), Err: err})
}

// kind is the kind of the next value. Where there is none, that is the error.
func (s *scanner) kind() jsontext.Kind {
	if s.err != nil {
		return jsontext.KindInvalid
	}
	kind := s.dec.PeekKind()
	if kind == jsontext.KindInvalid {
		s.token()
	}
	return kind
}

// offset is where the last token ended.
func (s *scanner) offset() int { return int(s.dec.InputOffset()) }

// open enters an object or an array. If the next value is something else it
// is left unread and open returns false.
func (s *scanner) open(kind jsontext.Kind) bool {
	return s.kind() == kind && s.token()
}

// member moves to the next member of an object and sets name; at the object's
// end it leaves it and returns false.
func (s *scanner) member() bool {
	s.before = s.offset()
	if s.kind() == jsontext.KindEndObject {
		s.token()
		return false
	}
	s.rawName = s.scalar()
	if s.crowded(maxMembers) {
		s.failHere(errTooMany)
	}
	if s.err != nil {
		return false
	}
	s.name = s.rawName[1 : len(s.rawName)-1]
	if bytes.IndexByte(s.name, '\\') >= 0 {
		s.name = appendText(nil, s.rawName)
	}
	return true
}

// element tells whether an array has another element; at the array's end it
// leaves it and returns false.
func (s *scanner) element() bool {
	if s.kind() == jsontext.KindEndArray {
		s.token()
		return false
	}
	return s.err == nil
}

// value reads the next value whole.
func (s *scanner) value() jsontext.Value {
	switch s.kind() {
	case jsontext.KindBeginObject, jsontext.KindBeginArray:
		return s.composite()
	}
	return s.scalar()
}

func (s *scanner) scalar() jsontext.Value {
	if s.err != nil {
		return nil
	}
	v, err := s.dec.ReadValue()
	if err != nil {
		s.fail(err)
		return nil
	}
	end := s.offset()
	return s.src[end-len(v) : end]
}

// composite reads token by token, because only so is the depth bounded.
func (s *scanner) composite() jsontext.Value {
	depth := s.dec.StackDepth()
	if !s.token() {
		return nil
	}
	start := s.offset() - 1
	for s.dec.StackDepth() > depth {
		if !s.token() {
			return nil
		}
	}
	return s.src[start:s.offset()]
}

func (s *scanner) token() bool {
	if s.err != nil {
		return false
	}
	if _, err := s.dec.ReadToken(); err != nil {
		s.fail(err)
	} else if s.dec.StackDepth() > maxDepth {
		s.failHere(errTooDeep)
	} else if s.crowded(maxNames) {
		s.failHere(errTooMany)
	}
	return s.err == nil
}

// crowded counts what was just read, if it is a name, and tells whether there
// are too many: more than most in the object, or too many in all.
func (s *scanner) crowded(most int64) bool {
	kind, n := s.dec.StackIndex(s.dec.StackDepth())
	if kind != jsontext.KindBeginObject {
		return false
	}
	// The decoder counts names and values alike: behind a name, n is odd.
	s.names += int(n & 1)
	return n > 2*most || s.maxTotal > 0 && s.names > s.maxTotal
}

// end checks that nothing follows the value.
func (s *scanner) end() {
	if s.err != nil {
		return
	}
	if _, err := s.dec.ReadToken(); !errors.Is(err, io.EOF) {
		s.failHere(errTrailing)
	}
}
