package openaicompat

import (
	"context"
	"errors"
	"io"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
)

// events names the errors of a stream and keeps its connection for reuse.
type events struct {
	*openai.Events
	body io.ReadCloser
	ctx  context.Context
	p    *Provider
}

func newEvents(ctx context.Context, p *Provider, body io.ReadCloser) *events {
	return &events{Events: openai.NewEvents(body), body: body, ctx: ctx, p: p}
}

// Next returns openai.ErrNoDone for a stream that ended without its mark: the
// caller knows whether the answer was complete.
func (e *events) Next() ([]byte, error) {
	payload, err := e.Events.Next()
	if err == nil {
		return e.p.clean(payload), nil
	}
	if errors.Is(err, io.EOF) {
		e.end()
		return nil, io.EOF
	}
	if _, ours := errors.AsType[*apperr.Error](err); ours || errors.Is(err, openai.ErrNoDone) {
		return nil, err
	}
	return nil, e.p.broken(e.ctx, phaseStream, err)
}

// end tells the connection that nothing more is wanted of this answer: a
// caller who closes now does not drop it.
func (e *events) end() {
	if b, ok := e.body.(interface{ Finish() }); ok {
		b.Finish()
	}
}
