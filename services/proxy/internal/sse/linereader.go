package sse

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// lineReader reads lines that end in LF, CR or CRLF. A line can be longer than the read
// buffer. A CR ends its line immediately, without waiting for an LF after it.
type lineReader struct {
	r *bufio.Reader
	// maxLength is the maximum length of a line in bytes.
	maxLength int
	// overflow is the start of a line that does not fit into the reader's buffer.
	overflow []byte
	// afterCR is set if the last line ended in CR. atStart is set before the first
	// line.
	afterCR, atStart bool
}

// readLine returns a line without its line ending. The line is valid until the next
// call. A last line without a line ending is returned before io.EOF.
func (l *lineReader) readLine() ([]byte, error) {
	l.overflow = l.overflow[:0]
	for scanned := 0; ; {
		buf := l.buffered()
		if i := findLineEnd(buf[scanned:]); i >= 0 {
			return l.takeLine(buf, scanned+i), nil
		}
		scanned = len(buf)
		_, err := l.r.Peek(scanned + 1)
		switch {
		case err == nil:
		case errors.Is(err, bufio.ErrBufferFull):
			if len(l.overflow)+scanned > l.maxLength {
				return nil, errEventTooLong()
			}
			l.overflow = append(l.overflow, l.buffered()...)
			_, _ = l.r.Discard(scanned)
			scanned = 0
		case errors.Is(err, io.EOF) && len(l.overflow)+scanned > 0:
			return l.takeLine(l.buffered(), scanned), nil
		default:
			return nil, err
		}
	}
}

// buffered returns the unread bytes in the buffer. If the last line ended in CR, it skips
// the LF that belongs to the CR. The bytes are valid until the next read.
func (l *lineReader) buffered() []byte {
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

// takeLine returns the line that ends before buf[end] and skips its line ending.
func (l *lineReader) takeLine(buf []byte, end int) []byte {
	line := buf[:end]
	if end < len(buf) {
		l.afterCR = buf[end] == '\r'
		end++
	}
	if len(l.overflow) > 0 {
		l.overflow = append(l.overflow, line...)
		line = l.overflow
	}
	_, _ = l.r.Discard(end)
	if l.atStart {
		l.atStart = false
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	return line
}

func findLineEnd(buf []byte) int {
	lf := bytes.IndexByte(buf, '\n')
	if lf >= 0 {
		buf = buf[:lf]
	}
	if cr := bytes.IndexByte(buf, '\r'); cr >= 0 {
		return cr
	}
	return lf
}
