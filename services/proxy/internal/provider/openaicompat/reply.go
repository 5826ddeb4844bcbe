package openaicompat

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

// reply makes of an answer what it is; stream is whether one was asked for.
func (p *Provider) reply(ctx context.Context, resp *http.Response, stream bool) (*provider.Reply, error) {
	switch {
	case resp.StatusCode >= http.StatusBadRequest:
		return nil, p.refused(ctx, resp)
	case resp.StatusCode >= http.StatusMultipleChoices:
		_ = resp.Body.Close()
		return nil, p.invalid("redirect", "answered with a redirect, which is not followed")
	case isStream(resp.Header.Get("Content-Type")) || stream && sniff(resp):
		return &provider.Reply{Events: newEvents(ctx, p, resp.Body)}, nil
	}
	body, err := p.read(ctx, resp, maxBody+1)
	if err != nil {
		return nil, err
	}
	if len(body) > maxBody {
		return nil, p.invalid("too_large", fmt.Sprintf("answered with more than %d bytes", maxBody))
	}
	return &provider.Reply{Body: p.clean(body)}, nil
}

// refused is the error that the upstream answered with.
func (p *Provider) refused(ctx context.Context, resp *http.Response) error {
	late := time.AfterFunc(errorWait, func() { _ = resp.Body.Close() })
	defer late.Stop()
	body, err := p.read(ctx, resp, maxError)
	if err != nil && ctx.Err() != nil {
		return err
	}
	return openai.UpstreamError(resp.StatusCode, resp.Header, p.hide(body))
}

// read takes at most limit bytes and leaves a body that was read to its end
// behind, so that the connection is used again.
func (p *Provider) read(ctx context.Context, resp *http.Response, limit int64) ([]byte, error) {
	defer func() { _ = resp.Body.Close() }()
	var buf bytes.Buffer
	if n := resp.ContentLength; n > 0 {
		// What is more lets the reader see the end without growing.
		buf.Grow(int(min(n, limit, maxAhead)) + bytes.MinRead)
	}
	_, err := buf.ReadFrom(io.LimitReader(resp.Body, limit))
	if err != nil {
		return buf.Bytes(), p.broken(ctx, phaseAnswer, err)
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

func isStream(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind, _, _ = strings.Cut(contentType, ";")
	}
	return strings.EqualFold(strings.TrimSpace(kind), "text/event-stream")
}
