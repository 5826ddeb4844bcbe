package openaicompat

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
)

const (
	// drainFor is for the few bytes after [DONE], which an honest upstream has
	// already sent; without them the connection cannot be used again.
	drainFor = 50 * time.Millisecond
	maxDrain = 4 << 10
)

// events names the errors of a stream and keeps its connection for reuse.
type events struct {
	inner  *openai.Events
	body   io.ReadCloser
	ctx    context.Context
	detach func() bool
	p      *Provider
	ended  atomic.Bool
}

func newEvents(ctx context.Context, detach func() bool, p *Provider, body io.ReadCloser) *events {
	return &events{inner: openai.NewEvents(body), body: body, ctx: ctx, detach: detach, p: p}
}

// Next returns openai.ErrNoDone for a stream that ended without its mark: the
// caller knows whether the answer was complete.
func (e *events) Next() ([]byte, error) {
	payload, err := e.inner.Next()
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

// end leaves the connection to a drain that nobody waits for, and that ends
// by itself.
func (e *events) end() {
	if e.ended.CompareAndSwap(false, true) {
		e.detach()
		go e.drain()
	}
}

func (e *events) drain() {
	late := time.AfterFunc(drainFor, func() { _ = e.inner.Close() })
	defer late.Stop()
	_, _ = io.CopyN(io.Discard, e.body, maxDrain)
	_ = e.inner.Close()
}

// Close drops the connection, unless the stream came to its end.
func (e *events) Close() error {
	if e.ended.Load() {
		return nil
	}
	return e.inner.Close()
}
