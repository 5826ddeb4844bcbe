package jsonscan

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Error is a text that is no JSON.
type Error struct {
	// Offset is the byte at which it went wrong.
	Offset int
	// Path is a JSON pointer to the value around it, where that is known.
	Path string
	Text string
	// Cause is for the users of a scanner, who may find more wrong than it.
	Cause error
}

// Error is what is wrong and where.
func (e *Error) Error() string { return e.Text + " at offset " + strconv.Itoa(e.Offset) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// wrong explains what the scanner refused. A second, slower reader is asked,
// which has better words for it.
func (s *Scanner) wrong() error {
	if s.space(0) == len(s.src) {
		return io.EOF
	}
	return explain(s.src, s.next)
}

// explain returns what jsontext finds wrong with a text; if it finds nothing,
// the offset is all that can be said.
func explain(src []byte, offset int) *Error {
	dec := jsontext.NewDecoder(bytes.NewReader(src))
	for {
		_, err := dec.ReadToken()
		var syntax *jsontext.SyntacticError
		switch {
		case errors.As(err, &syntax):
			return &Error{Offset: int(syntax.ByteOffset), Path: string(syntax.JSONPointer), Text: syntax.Err.Error()}
		case errors.Is(err, io.ErrUnexpectedEOF):
			return &Error{Offset: len(src), Text: err.Error()}
		case err != nil:
			return &Error{Offset: offset, Text: "invalid JSON"}
		}
	}
}
