package egress

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
)

// head is the part of a response before its body.
type head struct {
	status int
	header Header
	// length is the length of the body, or -1 if it is unknown.
	length  int64
	chunked bool
	// last means that the connection cannot be used after this response.
	last bool
}

// readHead reads the head of the response and skips interim responses.
func (c *conn) readHead(wanted []string) (head, error) {
	c.headLeft = maxHeader
	defer func() { c.headLeft = -1 }()
	for {
		if h, ok := parseSimpleHead(c.r, wanted); ok {
			return h, nil
		}
		resp, err := http.ReadResponse(c.r, nil) //nolint:bodyclose // Body reads the connection itself
		if errors.Is(err, io.ErrUnexpectedEOF) && c.headLeft == 0 {
			err = errHeaderTooLong
		}
		if err != nil {
			return head{}, err
		}
		if resp.StatusCode >= http.StatusOK {
			return toHead(resp), nil
		}
		if resp.StatusCode == http.StatusSwitchingProtocols {
			return head{}, errors.New("the upstream tried to switch protocols")
		}
		if resp.StatusCode < http.StatusContinue {
			return head{}, errors.New("the upstream sent an invalid status")
		}
	}
}

func toHead(resp *http.Response) head {
	return head{
		status: resp.StatusCode, header: Header{fields: resp.Header}, length: resp.ContentLength,
		chunked: len(resp.TransferEncoding) > 0 && resp.ContentLength != 0,
		last:    resp.Close || !resp.ProtoAtLeast(1, 1),
	}
}

// parseSimpleHead parses the head of nearly every successful response: status 200, lines that
// end in CRLF, either a length or chunks, and nothing unusual. For any other head it returns
// false and consumes nothing, and net/http parses the head. net/http handles every case, but
// allocates much more.
func parseSimpleHead(r *bufio.Reader, wanted []string) (head, bool) {
	text := peekHead(r)
	if !bytes.HasPrefix(text, []byte("HTTP/1.1 200 ")) {
		return head{}, false
	}
	h := head{status: http.StatusOK, length: -1}
	var usual [256]byte
	kept := usual[:0]
	_, rest, _ := bytes.Cut(text, crlf)
	for len(rest) > len(crlf) {
		var line []byte
		line, rest, _ = bytes.Cut(rest, crlf)
		name, value, ok := parseField(line)
		if !ok || !h.takeField(name, value) {
			return head{}, false
		}
		if slices.ContainsFunc(wanted, func(w string) bool { return equalFold(name, w) }) {
			kept = append(append(kept, line...), crlf...)
		}
	}
	if h.chunked == (h.length >= 0) {
		return head{}, false
	}
	h.header.lines = string(kept)
	_, _ = r.Discard(len(text))
	return h, true
}

var crlf = []byte("\r\n")

// peekHead waits for a head and returns it with its blank line, without consuming it. It
// returns nil if a line does not end in CRLF, if the head exceeds the buffer, or if reading fails.
func peekHead(r *bufio.Reader) []byte {
	for begin, have := 0, 0; ; {
		if _, err := r.Peek(have + 1); err != nil {
			return nil
		}
		have = r.Buffered()
		buf, _ := r.Peek(have)
		for {
			n := bytes.IndexByte(buf[begin:], '\n') + 1
			if n == 0 {
				break
			}
			line := buf[begin : begin+n]
			if !bytes.HasSuffix(line, crlf) {
				return nil
			}
			if begin += n; len(line) == len(crlf) {
				return buf[:begin]
			}
		}
	}
}

// takeField applies a field that concerns the body or the connection. It returns false for an
// unusual field, which net/http must parse.
func (h *head) takeField(name, value []byte) bool {
	switch {
	case equalFold(name, "content-length"):
		repeated := h.length >= 0
		h.length = parseLength(value)
		return !repeated && h.length >= 0
	case equalFold(name, "transfer-encoding"):
		repeated := h.chunked
		h.chunked = equalFold(value, "chunked")
		return !repeated && h.chunked
	case equalFold(name, "connection"):
		h.last = h.last || equalFold(value, "close")
		return equalFold(value, "close") || equalFold(value, "keep-alive")
	}
	return !equalFold(name, "trailer")
}

// parseLength parses a length of at most 15 digits. For anything else it returns -1.
func parseLength(digits []byte) int64 {
	if len(digits) == 0 || len(digits) > 15 {
		return -1
	}
	n := int64(0)
	for _, c := range digits {
		if c < '0' || c > '9' {
			return -1
		}
		n = 10*n + int64(c-'0')
	}
	return n
}
