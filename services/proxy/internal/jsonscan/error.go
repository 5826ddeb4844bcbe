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

// invalidText is all there is to say where nothing better is known.
const invalidText = "invalid JSON"

// maxExplained bounds what the slower reader is asked to read before what is
// wrong, and of it.
const maxExplained = 512 << 10

// wrong explains what the scanner refused. A second, slower reader is asked,
// which has better words for it, unless that would take long.
func (s *Scanner) wrong(text string) error {
	if s.space(0) == len(s.src) {
		return io.EOF
	}
	if s.next <= maxExplained {
		if e := explain(s.src[:min(len(s.src), s.next+maxExplained)], len(s.src)); e != nil {
			return e
		}
	}
	return &Error{Offset: s.next, Text: text}
}

// explain returns what jsontext finds wrong with the head of a text of so many
// bytes, nil if it finds nothing.
func explain(head []byte, length int) *Error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(head))
	for {
		_, err := dec.ReadToken()
		var syntax *jsontext.SyntacticError
		switch {
		case err == nil:
		case errors.Is(err, io.ErrUnexpectedEOF) && len(head) < length:
			return nil
		case errors.As(err, &syntax):
			return &Error{Offset: int(syntax.ByteOffset), Path: string(syntax.JSONPointer), Text: syntax.Err.Error()}
		case errors.Is(err, io.ErrUnexpectedEOF):
			return &Error{Offset: length, Text: err.Error()}
		default:
			return nil
		}
	}
}
