package upstream

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/signalbox/signalbox/services/proxy/internal/openai"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

const (
	// maxError is as much of an error's body as anybody reads, and errorWait
	// as long: the status says enough without it.
	maxError  = 64 << 10
	errorWait = time.Second
	// maxBody is above the largest honest answer: thousands of embeddings.
	maxBody = 32 << 20
	// maxAhead is as much of an announced length as is believed: beyond it,
	// memory follows what has come.
	maxAhead = 1 << 20
)

// Answer is what came back with a status below 300. Exactly one of Body and
// Stream is set, as the upstream chose, whatever was asked for.
type Answer struct {
	Status int
	// UpstreamID is the upstream's own id of the call.
	UpstreamID string
	Header     http.Header
	// Body is a whole answer.
	Body []byte
	// Stream is the body of an event stream; Client.Events reads it.
	Stream io.ReadCloser
	// Calls is how many calls of the upstream it took.
	Calls int
	// secret is the key of the call that was answered, and failed tells its
	// pool what else came of it; nil without keys.
	secret []byte
	failed func(err error)
}

// Reply is a reply with what the answer says of itself: the adapter adds what
// it made of the body.
func (a *Answer) Reply() *provider.Reply {
	return &provider.Reply{Status: a.Status, UpstreamID: a.UpstreamID, Calls: a.Calls, Failed: a.failed}
}

// receive makes of an answer what it is; stream is whether one was asked for.
func (c *Client) receive(ctx context.Context, resp *http.Response, stream bool, a *Answer) error {
	switch {
	case resp.StatusCode >= http.StatusBadRequest:
		return c.refused(ctx, resp, a.secret)
	case resp.StatusCode >= http.StatusMultipleChoices:
		_ = resp.Body.Close()
		return c.Invalid("redirect", "answered with a redirect, which is not followed")
	case encoding(resp.Header) != "":
		_ = resp.Body.Close()
		return c.Invalid("encoding", "answered in the encoding "+encoding(resp.Header)+", which it was not asked for")
	case isStream(resp.Header.Get("Content-Type")) || stream && sniff(resp):
		a.Stream = resp.Body
		return nil
	}
	body, err := c.read(ctx, resp, maxBody+1)
	if err != nil {
		return err
	}
	if len(body) > maxBody {
		return c.Invalid("too_large", fmt.Sprintf("answered with more than %d bytes", maxBody))
	}
	a.Body = hide(body, a.secret)
	return nil
}

// refused is the error that the upstream answered with. One that cannot be read
// says what its status does.
func (c *Client) refused(ctx context.Context, resp *http.Response, secret []byte) error {
	late := time.AfterFunc(errorWait, func() { _ = resp.Body.Close() })
	defer late.Stop()
	body, err := c.read(ctx, resp, maxError)
	if err != nil && ctx.Err() != nil {
		return err
	}
	if encoding(resp.Header) != "" {
		body = nil
	}
	return openai.UpstreamError(resp.StatusCode, resp.Header, hide(body, secret))
}

// read takes at most limit bytes and leaves a body that was read to its end
// behind, so that the connection is used again.
func (c *Client) read(ctx context.Context, resp *http.Response, limit int64) ([]byte, error) {
	defer func() { _ = resp.Body.Close() }()
	var buf bytes.Buffer
	if n := resp.ContentLength; n > 0 {
		// What is more lets the reader see the end without growing.
		buf.Grow(int(min(n, limit, maxAhead)) + bytes.MinRead)
	}
	_, err := buf.ReadFrom(io.LimitReader(resp.Body, limit))
	if err != nil {
		return buf.Bytes(), c.broken(ctx, phaseAnswer, err)
	}
	return buf.Bytes(), nil
}

// sniff tells by its beginning whether an answer is an event stream that does
// not say so, and that must not be waited for to its end.
func sniff(resp *http.Response) bool {
	r := bufio.NewReader(resp.Body)
	resp.Body = struct {
		io.Reader
		io.Closer
	}{r, resp.Body}
	for n := 1; n <= r.Size(); n++ {
		head, err := r.Peek(n)
		if err != nil {
			return false
		}
		if len(bytes.TrimSpace(head)) > 0 {
			return openai.LooksLikeEvents(head)
		}
	}
	return false
}

// encoding is how the body was encoded, though nobody asked for that; empty if
// it was not.
func encoding(h http.Header) string {
	name := strings.ToLower(strings.TrimSpace(h.Get("Content-Encoding")))
	switch name {
	case "", "identity":
		return ""
	case "gzip", "deflate", "br", "zstd", "compress":
		return name
	}
	return "unknown"
}

func isStream(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind, _, _ = strings.Cut(contentType, ";")
	}
	return strings.EqualFold(strings.TrimSpace(kind), "text/event-stream")
}
