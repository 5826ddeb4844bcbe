package openai

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// maxDepth limits the nesting of a JSON text. Real bodies stay below twenty.
const maxDepth = 64

// The limits on members exist because each name is compared with the other names of
// its object. This takes far longer than reading plain text of the same length.
const (
	// maxMembers applies to objects that we interpret. Real objects have dozens of
	// members.
	maxMembers = 1_000
	// maxObjectNames applies to other objects, such as a table that a user sends.
	maxObjectNames = 10_000
	// maxRequestNames applies to all objects of a request together. It is ten times the
	// number of names in a conversation of a few thousand messages.
	maxRequestNames = 250_000
)

var (
	errTooDeep        = fmt.Errorf("nested deeper than %d levels", maxDepth)
	errTooManyMembers = errors.New("too many members")
)

// scanner reads one JSON text in one pass. It stores the first error. After an error
// every method behaves as if the text had ended. So callers need to check err only once,
// at the end. Returned values are slices of the text.
type scanner struct {
	tokenScanner jsonscan.Scanner
	src          []byte
	err          error

	// rawName is the name of the current member in escaped form, with quotes. name is
	// the unescaped name.
	rawName, name []byte
	// memberStart is the offset at which the current member starts, before its comma.
	memberStart int
	// nameCount is how many names were read. maxNameCount is its limit, or 0 for none.
	nameCount, maxNameCount int
}

func (s *scanner) reset(src []byte, lenient bool) {
	s.tokenScanner.Reset(src, lenient)
	s.src, s.err = src, nil
	s.nameCount, s.maxNameCount = 0, 0
}

// fail sets the error if there is none yet.
func (s *scanner) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// failAtOffset sets an error with the current offset.
func (s *scanner) failAtOffset(err error) {
	s.fail(&jsonscan.Error{Offset: s.offset(), Text: err.Error(), Cause: err})
}

// peekKind returns the kind of the next value. If there is none, it sets err.
func (s *scanner) peekKind() jsontext.Kind {
	if s.err != nil {
		return jsontext.KindInvalid
	}
	kind := s.tokenScanner.PeekKind()
	if kind == jsonscan.Invalid {
		s.readToken()
	}
	return jsontext.Kind(kind)
}

// offset returns the offset after the last token.
func (s *scanner) offset() int { return s.tokenScanner.Offset() }

// enter enters an object or array of the given kind. It returns false and reads
// nothing if the next value is of another kind.
func (s *scanner) enter(kind jsontext.Kind) bool {
	return s.peekKind() == kind && s.readToken()
}

// nextMember moves to the next member of an object and sets name. At the end of
// the object it leaves the object and returns false.
func (s *scanner) nextMember() bool {
	s.memberStart = s.offset()
	if s.peekKind() == jsontext.KindEndObject {
		s.readToken()
		return false
	}
	s.rawName = s.readScalar()
	if s.hasTooManyNames(maxMembers) {
		s.failAtOffset(errTooManyMembers)
	}
	if s.err != nil {
		return false
	}
	s.name = s.rawName[1 : len(s.rawName)-1]
	if bytes.IndexByte(s.name, '\\') >= 0 {
		s.name = appendUnquoted(nil, s.rawName)
	}
	return true
}

// nextElement reports whether an array has another element. At the end of the
// array it leaves the array and returns false.
func (s *scanner) nextElement() bool {
	if s.peekKind() == jsontext.KindEndArray {
		s.readToken()
		return false
	}
	return s.err == nil
}

// readValue reads the next value, including nested values.
func (s *scanner) readValue() jsontext.Value {
	switch s.peekKind() {
	case jsontext.KindBeginObject, jsontext.KindBeginArray:
		return s.readComposite()
	}
	return s.readScalar()
}

// readScalar reads a name, or a value that is neither object nor array.
func (s *scanner) readScalar() jsontext.Value {
	if s.err != nil {
		return nil
	}
	v, err := s.tokenScanner.ReadToken()
	if err != nil {
		s.fail(err)
		return nil
	}
	return v
}

func (s *scanner) readComposite() jsontext.Value {
	depth := s.tokenScanner.Depth()
	if !s.readToken() {
		return nil
	}
	start := s.offset() - 1
	for s.tokenScanner.Depth() > depth {
		if !s.readToken() {
			return nil
		}
	}
	return s.src[start:s.offset()]
}

// readToken reads one token and checks the limits on depth and names.
func (s *scanner) readToken() bool {
	if s.err != nil {
		return false
	}
	if _, err := s.tokenScanner.ReadToken(); err != nil {
		s.fail(err)
	} else if s.tokenScanner.Depth() > maxDepth {
		s.failAtOffset(errTooDeep)
	} else if s.hasTooManyNames(maxObjectNames) {
		s.failAtOffset(errTooManyMembers)
	}
	return s.err == nil
}

// hasTooManyNames counts the last token if it is a name. It reports whether the
// current object has more than limit names, or all objects together have too many.
func (s *scanner) hasTooManyNames(limit int) bool {
	n, isName := s.tokenScanner.CountNames()
	if isName {
		s.nameCount++
	}
	return n > limit || s.maxNameCount > 0 && s.nameCount > s.maxNameCount
}

// checkEnd sets an error if anything follows the value.
func (s *scanner) checkEnd() {
	if s.err == nil {
		s.err = s.tokenScanner.CheckEnd()
	}
}
