package upstream

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
)

// What is asked of an answer's header, beside the call's id.
const (
	contentType     = "Content-Type"
	contentEncoding = "Content-Encoding"
)

// sniff tells by its beginning whether an answer is an event stream that does
// not say so, and that must not be waited for to its end.
func sniff(body io.ReadCloser) (io.ReadCloser, bool) {
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
			return body, openai.LooksLikeEvents(head)
		}
	}
	return body, false
}

// encoding is how the body was encoded, though nobody asked for that; empty if
// it was not.
func encoding(h egress.Header) string {
	name := strings.ToLower(strings.TrimSpace(h.Get(contentEncoding)))
	switch name {
	case "", "identity":
		return ""
	case "gzip", "deflate", "br", "zstd", "compress":
		return name
	}
	return "unknown"
}

func isStream(kind string) bool {
	kind, _, _ = strings.Cut(kind, ";")
	return strings.EqualFold(strings.TrimSpace(kind), "text/event-stream")
}
