package upstream

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
)

// Response headers that are read in addition to the id of the call.
const (
	headerContentType     = "Content-Type"
	headerContentEncoding = "Content-Encoding"
)

// sniffEventStream peeks at the start of a body to detect an event stream without
// the matching Content-Type. Such a body must not be read to its end first.
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

// unexpectedEncoding returns the content encoding of a response, or "" if it has
// none. Requests allow only identity.
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
