package upstream

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
)

// These response headers are read in addition to the id of the call.
const (
	headerContentType     = "Content-Type"
	headerContentEncoding = "Content-Encoding"
)

// sniffEventStream detects an event stream that has the wrong Content-Type. It peeks at
// the start of the body. An event stream must not be read to its end before the first
// event is forwarded.
func sniffEventStream(body io.ReadCloser) (io.ReadCloser, bool) {
	r := bufio.NewReader(body)
	body = struct {
		io.Reader
		io.Closer
	}{r, body}
	for n := 1; n <= r.Size(); n++ {
		head, err := r.Peek(n)
		if err != nil {
			return body, false
		}
		if len(bytes.TrimSpace(head)) > 0 {
			return body, openai.LooksLikeEventStream(head)
		}
	}
	return body, false
}

// unexpectedEncoding returns the content encoding of a response, or "" if it has none.
// Requests allow only identity, so any other encoding is unexpected.
func unexpectedEncoding(h egress.Header) string {
	name := strings.ToLower(strings.TrimSpace(h.Get(headerContentEncoding)))
	switch name {
	case "", "identity":
		return ""
	case "gzip", "deflate", "br", "zstd", "compress":
		return name
	}
	return "unknown"
}

func isEventStreamType(kind string) bool {
	kind, _, _ = strings.Cut(kind, ";")
	return strings.EqualFold(strings.TrimSpace(kind), "text/event-stream")
}
