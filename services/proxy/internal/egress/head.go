package egress

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
)

// head is what an answer says before its body.
type head struct {
	status int
	header Header
	// length is the body's; -1 where it is not told.
	length  int64
	chunked bool
	// last is whether the connection ends with this answer.
	last bool
}

// head reads up to the answer's body, past the interim answers before it.
func (c *conn) head(wanted []string) (head, error) {
	c.room = maxHeader
	defer func() { c.room = -1 }()
	for {
		if h, ok := plain(c.r, wanted); ok {
			return h, nil
		}
		resp, err := http.ReadResponse(c.r, nil) //nolint:bodyclose // Body reads the connection itself
		if errors.Is(err, io.ErrUnexpectedEOF) && c.room == 0 {
			err = errHeaderTooLong
		}
		if err != nil {
			return head{}, err
		}
		if resp.StatusCode >= http.StatusOK {
			return headOf(resp), nil
		}
		if resp.StatusCode == http.StatusSwitchingProtocols {
			return head{}, errors.New("the answer switches protocols")
		}
	}
}

func headOf(resp *http.Response) head {
	return head{
		status: resp.StatusCode, header: Header{fields: resp.Header}, length: resp.ContentLength,
		chunked: len(resp.TransferEncoding) > 0 && resp.ContentLength != 0,
		last:    resp.Close || !resp.ProtoAtLeast(1, 1),
	}
}

// plain reads the head of nearly every good answer: with the status 200, lines
// that end in CRLF, either a length or chunks, and nothing that needs judgement.
// Of any other it takes nothing and is false: net/http, which knows what to
// make of those, allocates much to say the same of this one.
func plain(r *bufio.Reader, wanted []string) (head, bool) {
	text := block(r)
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
		name, value, ok := field(line)
		if !ok || !h.take(name, value) {
			return head{}, false
		}
		if slices.ContainsFunc(wanted, func(w string) bool { return alike(name, w) }) {
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

// block waits for a head and returns it with its blank line, none of it taken.
// It is nil as soon as a line does not end in CRLF, and for what does not fit
// into the buffer.
func block(r *bufio.Reader) []byte {
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

// take notes what a field says about the body. It is false for what is said
// twice or otherwise than nearly everybody does.
func (h *head) take(name, value []byte) bool {
	switch {
	case alike(name, "content-length"):
		told := h.length >= 0
		h.length = number(value)
		return !told && h.length >= 0
	case alike(name, "transfer-encoding"):
		told := h.chunked
		h.chunked = alike(value, "chunked")
		return !told && h.chunked
	case alike(name, "connection"):
		h.last = h.last || alike(value, "close")
		return alike(value, "close") || alike(value, "keep-alive")
	}
	return !alike(name, "trailer")
}

// number is a length of few enough digits to be one, else -1.
func number(digits []byte) int64 {
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
