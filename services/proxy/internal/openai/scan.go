package openai

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// maxDepth is how deep a JSON text may nest. Real bodies stay below twenty.
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
	errTooDeep = fmt.Errorf("nested deeper than %d levels", maxDepth)
	errTooMany = errors.New("too many members")
)

// scanner reads one JSON text in one pass. Its first error sticks: from then on
// every method reports an end, so that callers look at err once, when done.
// Values it returns are slices of the text.
type scanner struct {
	text jsonscan.Scanner
	src  []byte
	err  error

	// rawName and name are the last member's name, as written and unescaped.
	rawName, name []byte
	// before is the offset at which that member begins, its comma included.
	before int
	// names is how many have been read, maxTotal how many may be, if not 0.
	names, maxTotal int
}

func (s *scanner) reset(src []byte, lenient bool) {
	s.text.Reset(src, lenient)
	s.src, s.err = src, nil
	s.names, s.maxTotal = 0, 0
}

func (s *scanner) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

func (s *scanner) failHere(err error) {
	s.fail(&jsonscan.Error{Offset: s.offset(), Text: err.Error(), Cause: err})
}

// kind is the kind of the next value. Where there is none, that is the error.
func (s *scanner) kind() jsontext.Kind {
	if s.err != nil {
		return jsontext.KindInvalid
	}
	kind := s.text.Peek()
	if kind == jsonscan.Invalid {
		s.token()
	}
	return jsontext.Kind(kind)
}

// offset is where the last token ended.
func (s *scanner) offset() int { return s.text.Offset() }

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

// scalar reads a name, or a value that is neither object nor array.
func (s *scanner) scalar() jsontext.Value {
	if s.err != nil {
		return nil
	}
	v, err := s.text.Token()
	if err != nil {
		s.fail(err)
		return nil
	}
	return v
}

func (s *scanner) composite() jsontext.Value {
	depth := s.text.Depth()
	if !s.token() {
		return nil
	}
	start := s.offset() - 1
	for s.text.Depth() > depth {
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
	if _, err := s.text.Token(); err != nil {
		s.fail(err)
	} else if s.text.Depth() > maxDepth {
		s.failHere(errTooDeep)
	} else if s.crowded(maxNames) {
		s.failHere(errTooMany)
	}
	return s.err == nil
}

// crowded counts what was just read, if it is a name, and tells whether there
// are too many: more than most in the object, or too many in all.
func (s *scanner) crowded(most int) bool {
	n, isName := s.text.Names()
	if isName {
		s.names++
	}
	return n > most || s.maxTotal > 0 && s.names > s.maxTotal
}

// end checks that nothing follows the value.
func (s *scanner) end() {
	if s.err == nil {
		s.err = s.text.End()
	}
}
