package main

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

// maxMessage bounds the length of one request or response.
const maxMessage = 1 << 20

// httpReader reads HTTP/1.1 messages from a connection. It supports only what the
// peers use and reuses its buffers.
type httpReader struct {
	r *bufio.Reader
	// body is the body of the last message, valid until the next read.
	body []byte
}

func newHTTPReader(r io.Reader) *httpReader {
	return &httpReader{r: bufio.NewReaderSize(r, 16<<10), body: make([]byte, 0, 16<<10)}
}

type messageHead struct {
	// status is 0 in a request.
	status  int
	length  int
	chunked bool
	// last means that the sender closes the connection after this message.
	last bool
	// arrived is when the first byte of the body arrived.
	arrived time.Time
}

// readMessage reads one complete message.
func (w *httpReader) readMessage() (messageHead, error) {
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
	if !h.chunked && len(w.body) < h.length {
		return h, io.ErrUnexpectedEOF
	}
	if h.chunked {
		// The chunked reader does not consume the empty trailer.
		_, err = w.r.Discard(len("\r\n"))
	}
	return h, err
}

func (w *httpReader) readBody(h *messageHead, body io.Reader) error {
	w.body = w.body[:0]
	for {
		if len(w.body) == cap(w.body) {
			w.body = append(w.body, 0)[:len(w.body)]
		}
		n, err := body.Read(w.body[len(w.body):cap(w.body)])
		if n > 0 && len(w.body) == 0 {
			h.arrived = time.Now()
		}
		w.body = w.body[:len(w.body)+n]
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case len(w.body) > maxMessage:
			return fmt.Errorf("message of more than %d bytes", maxMessage)
		}
	}
}

func (w *httpReader) readHead() (messageHead, error) {
	var h messageHead
	line, err := w.r.ReadSlice('\n')
	if err != nil {
		return h, err
	}
	if rest, ok := bytes.CutPrefix(line, []byte("HTTP/1.1 ")); ok && len(rest) >= 3 {
		if h.status, err = strconv.Atoi(string(rest[:3])); err != nil {
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

func (h *messageHead) parseField(name, value []byte) (err error) {
	switch {
	case bytes.EqualFold(name, []byte("Content-Length")):
		h.length, err = strconv.Atoi(string(value))
	case bytes.EqualFold(name, []byte("Transfer-Encoding")):
		h.chunked = true
	case bytes.EqualFold(name, []byte("Connection")):
		h.last = bytes.EqualFold(value, []byte("close"))
	}
	return err
}
