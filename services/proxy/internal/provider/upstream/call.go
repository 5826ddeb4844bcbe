package upstream

import (
	"context"

	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// Request is one call to the upstream. Do neither changes nor copies its fields.
type Request struct {
	Address *egress.Address
	// Model is the upstream's name of the model, whose rate limits apply.
	Model string
	// BodyPieces make up the body when concatenated.
	BodyPieces [][]byte
	// Stream says whether the request asks for an event stream.
	Stream bool
}

// Do sends the request. It returns when the complete response has arrived or, for
// an event stream, when its header has. If the upstream rejects or rate-limits a
// key, Do retries at once with another key and uses each key at most once.
// The errors are those of provider.ChatCompleter. ctx also bounds reading the stream.
func (c *Client) Do(ctx context.Context, r Request) (Response, error) {
	if c.keys == nil {
		return c.callWithKey(ctx, r, &c.headersByKey[0])
	}
	return c.callWithPool(ctx, r)
}

// callWithKey makes a single call with the headers of one key.
func (c *Client) callWithKey(ctx context.Context, r Request, key *keyHeaders) (Response, error) {
	if ctx.Err() != nil {
		return Response{}, provider.ContextError(ctx)
	}
	header := key.plain
	if r.Stream {
		header = key.stream
	}
	response, err := c.transport.Call(ctx, egress.Post{To: r.Address, With: header, Pieces: r.BodyPieces})
	if err != nil {
		return Response{}, c.connectionError(ctx, phaseRequest, err)
	}
	result := Response{Status: response.Status, UpstreamID: c.readUpstreamID(response.Header, key.secret), Calls: 1, secret: key.secret}
	if err := c.readResponse(ctx, response, r.Stream, &result); err != nil {
		return Response{}, err
	}
	return result, nil
}

func (c *Client) readUpstreamID(h egress.Header, secret []byte) string {
	for _, name := range c.idHeaders {
		if v, ok := h.Lookup(name); ok {
			var usual [64]byte
			// Copy the value, so that the record does not retain the whole header.
			return string(redactSecret(append(usual[:0], v...), secret))
		}
	}
	return ""
}
