// Package httpwire reads HTTP/1.1 messages with as little CPU time as possible, so that
// the load generator and the emulated provider take little from what is measured.
package httpwire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http/httputil"
	"strconv"
	"time"
)

// MaxMessage bounds the length of one request or response.
const MaxMessage = 4 << 20

// Reader reads HTTP/1.1 messages from a connection. It supports only what the
// peers use and reuses its buffers.
type Reader struct {
	r *bufio.Reader
	// Body is the body of the last message, valid until the next read.
	Body []byte
}

// NewReader returns a reader of the messages of one connection.
func NewReader(r io.Reader) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, 16<<10), Body: make([]byte, 0, 16<<10)}
}

// Head is what the load generator needs from the start of a message.
type Head struct {
	// Status is 0 in a request.
	Status  int
	length  int
	chunked bool
	// Last means that the sender closes the connection after this message.
	Last bool
	// Arrived is when the first byte of the body arrived.
	Arrived time.Time
}

// ReadMessage reads one complete message.
func (w *Reader) ReadMessage() (Head, error) {
	h, err := w.readHead()
	if err != nil {
		return h, err
	}
	body := io.LimitReader(w.r, int64(h.length))
	if h.chunked {
		body = httputil.NewChunkedReader(w.r)
	}
	if err := w.readBody(&h, body); err != nil {
		return h, err
	}
	if !h.chunked && len(w.Body) < h.length {
		return h, io.ErrUnexpectedEOF
	}
	if h.chunked {
		// The chunked reader does not consume the empty trailer.
		_, err = w.r.Discard(len("\r\n"))
	}
	return h, err
}

func (w *Reader) readBody(h *Head, body io.Reader) error {
	w.Body = w.Body[:0]
	for {
		if len(w.Body) == cap(w.Body) {
			w.Body = append(w.Body, 0)[:len(w.Body)]
		}
		n, err := body.Read(w.Body[len(w.Body):cap(w.Body)])
		if n > 0 && len(w.Body) == 0 {
			h.Arrived = time.Now()
		}
		w.Body = w.Body[:len(w.Body)+n]
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case len(w.Body) > MaxMessage:
			return fmt.Errorf("message of more than %d bytes", MaxMessage)
		}
	}
}

func (w *Reader) readHead() (Head, error) {
	var h Head
	line, err := w.r.ReadSlice('\n')
	if err != nil {
		return h, err
	}
	if rest, ok := bytes.CutPrefix(line, []byte("HTTP/1.1 ")); ok && len(rest) >= 3 {
		if h.Status, err = strconv.Atoi(string(rest[:3])); err != nil {
			return h, fmt.Errorf("status line: %w", err)
		}
	}
	for {
		line, err := w.r.ReadSlice('\n')
		if err != nil {
			return h, err
		}
		name, value, _ := bytes.Cut(bytes.TrimSpace(line), []byte(":"))
		if len(name) == 0 {
			return h, nil
		}
		if err := h.parseField(name, bytes.TrimSpace(value)); err != nil {
			return h, err
		}
	}
}

func (h *Head) parseField(name, value []byte) (err error) {
	switch {
	case bytes.EqualFold(name, []byte("Content-Length")):
		h.length, err = strconv.Atoi(string(value))
	case bytes.EqualFold(name, []byte("Transfer-Encoding")):
		h.chunked = true
	case bytes.EqualFold(name, []byte("Connection")):
		h.Last = bytes.EqualFold(value, []byte("close"))
	}
	return err
}
