package gemini

import (
	"bytes"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// frameWriter writes the frames of one stream: server-sent events, or the elements of one
// JSON array.
type frameWriter struct {
	array, hasSent bool
}

// appendStart appends the bytes before a frame.
func (f *frameWriter) appendStart(dst []byte) []byte {
	first := !f.hasSent
	f.hasSent = true
	switch {
	case !f.array:
		return append(dst, "data: "...)
	case first:
		return append(dst, '[')
	}
	return append(dst, ",\n"...)
}

// appendFinish appends the bytes after a frame that starts at offset from. An event must be
// one line, so line breaks in its JSON become blanks.
func (f *frameWriter) appendFinish(dst []byte, from int) []byte {
	if f.array {
		return dst
	}
	for i, c := range dst[from:] {
		if c == '\n' || c == '\r' {
			dst[from+i] = ' '
		}
	}
	return append(dst, "\n\n"...)
}

// appendEnd appends the end of a complete stream.
func (f *frameWriter) appendEnd(dst []byte) []byte {
	switch {
	case !f.array:
		return dst
	case !f.hasSent:
		return append(dst, "[]\n"...)
	}
	return append(dst, "]\n"...)
}

// appendError appends the error that ends a broken stream: as an event, and again as plain
// JSON. Current official clients recognize the event. Google itself sends plain JSON, and
// older clients recognize only that. Parsers of server-sent events ignore the plain line.
func (f *frameWriter) appendError(dst []byte, e *apperr.Error, o apperr.Options) []byte {
	o.Format = apperr.Gemini
	body := bytes.TrimSpace(e.Body(o))
	dst = append(f.appendStart(dst), body...)
	if f.array {
		return append(dst, "]\n"...)
	}
	return append(append(append(dst, "\n\n"...), body...), '\n')
}
