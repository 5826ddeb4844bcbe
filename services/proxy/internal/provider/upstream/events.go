package upstream

import (
	"context"
	"errors"
	"io"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/sse"
)

// Events reads the event stream of a response. Next returns the data of each event.
// Name returns the name of the event. Adapters of the OpenAI format return Events as a
// provider.Events without changes.
type Events struct {
	*sse.Reader
	body   io.ReadCloser
	ctx    context.Context
	client *Client
	secret []byte
}

// ReadEvents returns a reader of r.Stream. Closing the reader closes the stream. ctx is
// the context of the call.
func (c *Client) ReadEvents(ctx context.Context, r Response) *Events {
	return &Events{Reader: sse.NewReader(r.Stream), body: r.Stream, ctx: ctx, client: c, secret: r.secret}
}

// Next returns the data of the next event. The data is valid until the next call. Next
// returns io.EOF after [DONE], and sse.ErrNoDone if the stream ends without [DONE].
// Other formats never send [DONE], so their adapters decide whether the response is
// complete.
func (e *Events) Next() ([]byte, error) {
	payload, err := e.Reader.Next()
	if err == nil {
		return redactSecret(payload, e.secret), nil
	}
	if errors.Is(err, io.EOF) {
		e.Finish()
		return nil, io.EOF
	}
	if _, ours := errors.AsType[*apperr.Error](err); ours || errors.Is(err, sse.ErrNoDone) {
		return nil, err
	}
	return nil, e.client.connectionError(e.ctx, phaseStream, err)
}

// Finish marks the response as completely read. After that, Close does not close the
// connection, so that other calls can reuse it. Adapters of formats without [DONE] call
// Finish at the end of the stream.
func (e *Events) Finish() {
	if b, ok := e.body.(interface{ Finish() }); ok {
		b.Finish()
	}
}
