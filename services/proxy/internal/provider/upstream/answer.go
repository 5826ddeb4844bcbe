package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/signalbox/signalbox/services/proxy/internal/egress"
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
func (c *Client) receive(ctx context.Context, said egress.Answer, stream bool, a *Answer) error {
	switch {
	case said.Status >= http.StatusBadRequest:
		return c.refused(ctx, said, a.secret)
	case said.Status >= http.StatusMultipleChoices:
		_ = said.Body.Close()
		return c.Invalid("redirect", "answered with a redirect, which is not followed")
	case encoding(said.Header) != "":
		_ = said.Body.Close()
		return c.Invalid("encoding", "answered in the encoding "+encoding(said.Header)+", which it was not asked for")
	case isStream(said.Header.Get(contentType)):
		a.Stream = said.Body
		return nil
	case stream:
		var is bool
		if said.Body, is = sniff(said.Body); is {
			a.Stream = said.Body
			return nil
		}
	}
	body, err := c.read(ctx, said, maxBody+1)
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
func (c *Client) refused(ctx context.Context, said egress.Answer, secret []byte) error {
	late := time.AfterFunc(errorWait, func() { _ = said.Body.Close() })
	defer late.Stop()
	body, err := c.read(ctx, said, maxError)
	if err != nil && ctx.Err() != nil {
		return err
	}
	if encoding(said.Header) != "" {
		body = nil
	}
	return openai.UpstreamError(said.Status, said.Header.Refusal(), hide(body, secret))
}

// read takes at most limit bytes and leaves a body that was read to its end
// behind, so that the connection is used again.
func (c *Client) read(ctx context.Context, said egress.Answer, limit int) ([]byte, error) {
	defer func() { _ = said.Body.Close() }()
	expected := max(said.Length, int64(said.Here), bytes.MinRead)
	// One more lets the reader see the end without growing.
	body := make([]byte, 0, min(int(min(expected, maxAhead))+1, limit))
	for len(body) < limit {
		if len(body) == cap(body) {
			body = slices.Grow(body, bytes.MinRead)
		}
		n, err := said.Body.Read(body[len(body):min(cap(body), limit)])
		body = body[:len(body)+n]
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return body, c.broken(ctx, phaseAnswer, err)
		}
	}
	return body, nil
}
