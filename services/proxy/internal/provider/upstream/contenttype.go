package upstream

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"github.com/signalbox/signalbox/services/proxy/internal/sse"
)

// These response headers are read in addition to Config.IDHeaders.
const (
	headerContentType     = "Content-Type"
	headerContentEncoding = "Content-Encoding"
)

// sniffEventStream detects an event stream that has the wrong Content-Type. It peeks at
// the start of the body. If the whole stream were read as a plain body, the client would
// get the first event only at the end.
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
			return body, sse.LooksLikeStream(head)
		}
	}
	return body, false
}

func isEventStreamType(kind string) bool {
	kind, _, _ = strings.Cut(kind, ";")
	return strings.EqualFold(strings.TrimSpace(kind), "text/event-stream")
}
