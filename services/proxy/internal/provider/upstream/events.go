package upstream

import (
	"context"
	"errors"
	"io"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
)

// Events reads the stream of an answer: the data of each event and, by Name,
// what the upstream calls it. Its errors are those that provider.Events
// promises. It is the whole of a provider.Events where the upstream speaks our
// clients' format.
type Events struct {
	*openai.Events
	body   io.ReadCloser
	ctx    context.Context
	c      *Client
	secret []byte
}

// Events reads a.Stream, which Close closes; ctx is the call's.
func (c *Client) Events(ctx context.Context, a Answer) *Events {
	return &Events{Events: openai.NewEvents(a.Stream), body: a.Stream, ctx: ctx, c: c, secret: a.secret}
}

// Next returns the data of the next event, valid until the next call; io.EOF
// after [DONE]; openai.ErrNoDone for a stream that ended without it, as those
// of other formats do: the caller knows whether the answer was complete.
func (e *Events) Next() ([]byte, error) {
	payload, err := e.Events.Next()
	if err == nil {
		return hide(payload, e.secret), nil
	}
	if errors.Is(err, io.EOF) {
		e.Finish()
		return nil, io.EOF
	}
	if _, ours := errors.AsType[*apperr.Error](err); ours || errors.Is(err, openai.ErrNoDone) {
		return nil, err
	}
	return nil, e.c.broken(e.ctx, phaseStream, err)
}

// Finish tells the connection that nothing more is wanted of this answer: a
// caller who closes now does not drop it. It is for formats that end without
// [DONE].
func (e *Events) Finish() {
	if b, ok := e.body.(interface{ Finish() }); ok {
		b.Finish()
	}
}
