package openai

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// lines reads lines of any length that end in LF, CR or CRLF. A CR ends its
// line at once: nobody waits to see whether an LF comes after it.
type lines struct {
	r *bufio.Reader
	// max is the longest line that is kept.
	max int
	// long is the part of a line that went beyond the buffer.
	long []byte
	// afterCR is set if the last line ended in CR; first if there was none.
	afterCR, first bool
}

// next returns a line without its end, valid until the next call. A line that
// the text ends in comes before io.EOF.
func (l *lines) next() ([]byte, error) {
	l.long = l.long[:0]
	for scanned := 0; ; {
		buf := l.buffered()
		if i := lineEnd(buf[scanned:]); i >= 0 {
			return l.take(buf, scanned+i), nil
		}
		scanned = len(buf)
		_, err := l.r.Peek(scanned + 1)
		switch {
		case err == nil:
		case errors.Is(err, bufio.ErrBufferFull):
			if len(l.long)+scanned > l.max {
				return nil, errLongEvent()
			}
			l.long = append(l.long, l.buffered()...)
			_, _ = l.r.Discard(scanned)
			scanned = 0
		case errors.Is(err, io.EOF) && len(l.long)+scanned > 0:
			return l.take(l.buffered(), scanned), nil
		default:
			return nil, err
		}
	}
}

// buffered is what has been read and not taken, without the second half of a
// CRLF. It is valid until more is read.
func (l *lines) buffered() []byte {
	buf, _ := l.r.Peek(l.r.Buffered())
	if l.afterCR && len(buf) > 0 {
		l.afterCR = false
		if buf[0] == '\n' {
			_, _ = l.r.Discard(1)
			buf = buf[1:]
		}
	}
	return buf
}

// take returns the line that ends before buf[end], and passes over its end.
func (l *lines) take(buf []byte, end int) []byte {
	line := buf[:end]
	if end < len(buf) {
		l.afterCR = buf[end] == '\r'
		end++
	}
	if len(l.long) > 0 {
		l.long = append(l.long, line...)
		line = l.long
	}
	_, _ = l.r.Discard(end)
	if l.first {
		l.first = false
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	return line
}

func lineEnd(buf []byte) int {
	lf := bytes.IndexByte(buf, '\n')
	if lf >= 0 {
		buf = buf[:lf]
	}
	if cr := bytes.IndexByte(buf, '\r'); cr >= 0 {
		return cr
	}
	return lf
}
