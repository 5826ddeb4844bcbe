package upstream

import (
	"context"
	"errors"
	"maps"
	"net/http"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/keypool"
	"github.com/signalbox/signalbox/services/proxy/internal/storedid"
	"github.com/signalbox/signalbox/services/proxy/internal/tracecontext"
)

// Request is one call to the upstream. Client.Do neither changes nor copies its fields.
type Request struct {
	Address *egress.Address
	// Model is the upstream's name for the model. The key pool tracks rate limits per
	// model.
	Model string
	// TriedKeys are the keys that must not be used, because earlier calls of the same
	// request used them.
	TriedKeys keypool.KeySet
	// Pin is the only credential that may be used, because the request refers to an object that
	// was stored with it. The zero value allows every credential.
	Pin storedid.Fingerprint
	// BodyPieces are the parts of the body, in order.
	BodyPieces [][]byte
	// Stream is set if the request asks for an event stream.
	Stream bool
	// Header holds the headers of this call, in canonical form. They replace other headers of
	// the same name.
	Header http.Header
	// TraceParent is the header that connects the call with the trace of the request, or "".
	TraceParent string
}

// ownHeader returns the headers that differ from call to call, or nil if there are none.
func (r *Request) ownHeader() http.Header {
	if r.TraceParent == "" {
		return r.Header
	}
	h := make(http.Header, len(r.Header)+1)
	maps.Copy(h, r.Header)
	h[tracecontext.ParentHeader] = []string{r.TraceParent}
	return h
}

// Do sends the request once, with one key. It returns when the complete response has arrived
// or, for an event stream, when the header has arrived. Its errors are those of
// provider.ChatCompleter. ctx also applies to reading the stream.
func (c *Client) Do(ctx context.Context, r Request) (Response, error) {
	if !r.Pin.IsZero() {
		return c.callPinned(ctx, r)
	}
	if c.keys == nil {
		return c.callWithKey(ctx, r, &c.headersByKey[0])
	}
	return c.callWithPool(ctx, r)
}

func (c *Client) callWithKey(ctx context.Context, r Request, key *keyHeaders) (Response, error) {
	if ctx.Err() != nil {
		return Response{}, provider.ContextError(ctx)
	}
	header := key.plain
	if r.Stream {
		header = key.stream
	}
	if own := r.ownHeader(); len(own) > 0 {
		header = header.With(own)
	}
	response, err := c.transport.Call(ctx, egress.Post{To: r.Address, With: header, Pieces: r.BodyPieces})
	if err != nil {
		return Response{}, c.connectionError(ctx, phaseRequest, err)
	}
	result := Response{Status: response.Status, UpstreamID: c.readUpstreamID(response.Header, key.secret), secret: key.secret, signer: key.signer}
	if err := c.readResponse(ctx, response, r.Stream, &result); err != nil {
		return Response{}, withUpstreamID(err, result.UpstreamID)
	}
	return result, nil
}

// maxShownID is the longest upstream id that is added to an error, in bytes.
const maxShownID = 128

// withUpstreamID adds the upstream's id for the call to an error. The record of the attempt
// and the client get it, because the vendor's support asks for it.
func withUpstreamID(err error, id string) error {
	known, ok := errors.AsType[*apperr.Error](err)
	if !ok || id == "" || len(id) > maxShownID {
		return err
	}
	return known.With("upstream_request_id", id)
}

func (c *Client) readUpstreamID(h egress.Header, secret []byte) string {
	for _, name := range c.idHeaders {
		if v, ok := h.Lookup(name); ok {
			var buffer [64]byte
			// Copy the value. Otherwise the record would keep the whole header in memory.
			return string(redactSecret(append(buffer[:0], v...), secret))
		}
	}
	return ""
}
