package httpserver

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"
	"time"
)

// requestBody is the body of one request.
type requestBody struct {
	c  *conn
	mu sync.Mutex
	// chunks decodes a chunked body. It is nil if the length is known.
	chunks io.Reader
	// left is the length that has not been read, if it is known.
	left int64
	// ended means that the whole body has been read.
	ended bool
	// closed means that the handler has returned or has closed the body.
	closed bool
	// awaited means that the client waits for "100 Continue" before it sends the body.
	awaited bool
	// damaged means that the end of the body cannot be found.
	damaged bool
}

// open sets the body of a request. The server sets no deadline for it: the handler may.
func (b *requestBody) open(c *conn, r *http.Request) {
	c.readDeadline = time.Time{}
	b.c, b.left = c, r.ContentLength
	b.ended = b.left == 0
	if b.left < 0 {
		b.chunks = httputil.NewChunkedReader(c.in)
	}
	b.awaited = !b.ended && r.ProtoMinor > 0 && isContinue(r)
	r.Body = b
	if b.ended {
		r.Body = http.NoBody
	}
}

// Read implements io.Reader. It returns io.EOF together with the last bytes of a known length.
func (b *requestBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return 0, http.ErrBodyReadAfterClose
	case b.ended:
		return 0, io.EOF
	}
	return b.readLocked(p)
}

func (b *requestBody) readLocked(p []byte) (int, error) {
	if b.awaited {
		b.awaited = false
		if err := b.c.sendBytes([]byte("HTTP/1.1 100 Continue\r\n\r\n")); err != nil {
			return 0, err
		}
	}
	n, err := b.readPart(p)
	if b.ended && !b.closed {
		b.c.startWatching()
	}
	return n, err
}

func (b *requestBody) readPart(p []byte) (int, error) {
	if b.chunks != nil {
		return b.readChunk(p)
	}
	n, err := b.c.in.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	b.ended = b.left == 0
	switch {
	case b.ended:
		return n, io.EOF
	case errors.Is(err, io.EOF):
		return n, io.ErrUnexpectedEOF
	}
	return n, err
}

func (b *requestBody) readChunk(p []byte) (int, error) {
	if b.damaged {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := b.chunks.Read(p)
	if errors.Is(err, io.EOF) {
		err = b.c.skipTrailer()
		b.ended = errors.Is(err, io.EOF)
	}
	b.damaged = err != nil && !b.ended
	return n, err
}

// Close implements io.Closer.
func (b *requestBody) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return nil
}

// refuse is called before the headers of the response are sent: "100 Continue" cannot follow them. It
// reports whether the client was waiting for that. Such a client may send its body or leave it out.
func (b *requestBody) refuse() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	refused := b.awaited
	b.awaited = false
	return refused
}

// finish ends the body before the response leaves, because a client may send all of its request
// before it reads. It reports whether the next request can be found after the body.
func (b *requestBody) finish(isHandlerRunning bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if b.ended || b.damaged || b.left > maxDiscard {
		return b.ended
	}
	if b.c.readDeadline.Before(time.Now()) {
		b.c.readDeadline = time.Now().Add(discardTimeout)
	}
	_, err := io.CopyN(io.Discard, readerFunc(b.readPart), maxDiscard+1)
	if b.ended && isHandlerRunning {
		b.c.startWatching()
	}
	return errors.Is(err, io.EOF) && b.ended
}

// discardTimeout is how long the server waits for the rest of a body, unless the handler has set a
// deadline.
const discardTimeout = 5 * time.Second

type readerFunc func(p []byte) (int, error)

// Read implements io.Reader.
func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// skipTrailer reads the headers after a chunked body, which no handler uses. It returns io.EOF after
// the empty line at their end.
func (c *conn) skipTrailer() error {
	var line []byte
	for size := 0; size <= c.server.MaxHeader; {
		part, err := c.in.ReadSlice('\n')
		size += len(part)
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		}
		if err := checkTrailerLine(string(line)); err != nil {
			return err
		}
		line = line[:0]
	}
	return invalid("the trailer is too large")
}

// checkTrailerLine returns io.EOF for the empty line at the end of the trailer.
func checkTrailerLine(line string) error {
	text, ok := strings.CutSuffix(line, "\r\n")
	switch {
	case !ok:
		return invalid("a line of the trailer does not end with CRLF")
	case text == "":
		return io.EOF
	}
	_, _, err := splitHeader(text)
	return err
}
