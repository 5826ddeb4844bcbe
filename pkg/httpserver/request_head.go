package httpserver

import (
	"bufio"
	"bytes"
	"errors"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// maxUsualHead is the size up to which a connection keeps the memory of its headers.
const maxUsualHead = 4 << 10

// readHead reads the request line and the headers into c.head, up to the empty line.
func (c *conn) readHead() error {
	if cap(c.head) > maxUsualHead {
		c.head = nil
	}
	c.head = c.head[:0]
	if c.reused && !c.hasWholeHead() {
		c.readDeadline = c.headerDeadline(time.Now())
	}
	for lineStart := 0; ; {
		part, err := c.in.ReadSlice('\n')
		c.head = append(c.head, part...)
		switch {
		case len(c.head) > c.server.MaxHeader:
			return apperr.New(apperr.HeadersTooLarge, "the headers are too large").With("limit_bytes", c.server.MaxHeader)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return err
		}
		if line := c.head[lineStart:]; len(line) <= 2 && len(bytes.Trim(line, "\r\n")) == 0 {
			return nil
		}
		lineStart = len(c.head)
	}
}

// skipEmptyLines skips line breaks that have arrived after a POST, up to four bytes as net/http does. Some
// clients send them after a body (RFC 9112, section 2.2).
func (c *conn) skipEmptyLines() {
	arrived, _ := c.in.Peek(min(c.emptyBytes, c.in.Buffered()))
	n := len(arrived) - len(bytes.TrimLeft(arrived, "\r\n"))
	_, _ = c.in.Discard(n)
	c.emptyBytes -= n
}

// maxEmptyBytes is how many bytes of line breaks may precede a request that follows a POST.
const maxEmptyBytes = 4

// hasWholeHead reports whether the headers have arrived, so that reading them does not wait.
func (c *conn) hasWholeHead() bool {
	arrived, _ := c.in.Peek(c.in.Buffered())
	return bytes.Contains(arrived, []byte("\r\n\r\n"))
}
