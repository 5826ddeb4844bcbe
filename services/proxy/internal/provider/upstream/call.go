package upstream

import (
	"context"

	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// Request is one call. Nothing in it is changed or copied.
type Request struct {
	To *egress.Address
	// Model is whose limits the call counts against, as the upstream names it.
	Model string
	// Pieces are the body.
	Pieces [][]byte
	// Stream is whether an event stream is asked for.
	Stream bool
}

// Do makes the call and returns when the answer's head or, where it is no
// stream, all of it is there. A key that the upstream refuses or limits is
// replaced by another one at once, each being used at most once. Errors are
// those that provider.Chatter promises; ctx bounds reading the stream too.
func (c *Client) Do(ctx context.Context, r Request) (Answer, error) {
	if c.keys == nil {
		return c.call(ctx, r, &c.faces[0])
	}
	return c.pooled(ctx, r)
}

// call makes the call with one key.
func (c *Client) call(ctx context.Context, r Request, f *face) (Answer, error) {
	if ctx.Err() != nil {
		return Answer{}, provider.Ended(ctx)
	}
	with := f.plain
	if r.Stream {
		with = f.stream
	}
	said, err := c.transport.Call(ctx, egress.Post{To: r.To, With: with, Pieces: r.Pieces})
	if err != nil {
		return Answer{}, c.broken(ctx, phaseRequest, err)
	}
	a := Answer{Status: said.Status, UpstreamID: c.id(said.Header, f.secret), Calls: 1, secret: f.secret}
	if err := c.receive(ctx, said, r.Stream, &a); err != nil {
		return Answer{}, err
	}
	return a, nil
}

func (c *Client) id(h egress.Header, secret []byte) string {
	for _, name := range c.ids {
		if v, ok := h.Lookup(name); ok {
			var usual [64]byte
			// A copy: the record must not hold on to the whole header.
			return string(hide(append(usual[:0], v...), secret))
		}
	}
	return ""
}
