package jsonscan

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Error describes why a text is not valid JSON.
type Error struct {
	// Offset is the byte offset of the problem in the text.
	Offset int
	// Path is a JSON pointer to the enclosing value. It may be empty.
	Path string
	Text string
	// Cause is never set by the scanner. Callers also use Error for problems other than
	// syntax, such as a string where a number is expected. They then set Cause.
	Cause error
}

// Error returns the problem and its offset.
func (e *Error) Error() string { return e.Text + " at offset " + strconv.Itoa(e.Offset) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// invalidText is the message if no better explanation is available.
const invalidText = "invalid JSON"

// maxExplainedBytes limits how many bytes explainSyntaxError reads again before the
// problem, and how many after it.
const maxExplainedBytes = 512 << 10

// describeError returns the error for the token at s.next. It reads the text again with
// jsontext, because jsontext has better messages. It skips this step if the token is far
// from the start of a long text. Without a message from jsontext, it uses the parameter
// text. If the source is empty or only white space, describeError returns io.EOF.
func (s *Scanner) describeError(text string) error {
	if s.skipSpace(0) == len(s.src) {
		return io.EOF
	}
	if s.next <= maxExplainedBytes {
		if e := explainSyntaxError(s.src[:min(len(s.src), s.next+maxExplainedBytes)], len(s.src)); e != nil {
			return e
		}
	}
	return &Error{Offset: s.next, Text: text}
}

// explainSyntaxError returns the problem that jsontext finds in head, or nil if it
// finds none. head is the start of the text, and textBytes is the size of the whole text.
func explainSyntaxError(head []byte, textBytes int) *Error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(head))
	for {
		_, err := dec.ReadToken()
		var syntax *jsontext.SyntacticError
		switch {
		case err == nil:
		case errors.Is(err, io.ErrUnexpectedEOF) && len(head) < textBytes:
			return nil
		case errors.As(err, &syntax):
			return &Error{Offset: int(syntax.ByteOffset), Path: string(syntax.JSONPointer), Text: syntax.Err.Error()}
		case errors.Is(err, io.ErrUnexpectedEOF):
			return &Error{Offset: textBytes, Text: err.Error()}
		default:
			return nil
		}
	}
}
