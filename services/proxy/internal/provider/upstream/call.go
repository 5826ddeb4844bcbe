package upstream

import (
	"context"
	"maps"
	"net/http"
	"net/url"

	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// Request is one call. Nothing in it is changed or copied.
type Request struct {
	URL *url.URL
	// Header is added to the client's own, for this call; usually nil.
	Header http.Header
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
	out := &outbound{pieces: r.Pieces}
	// The URL and the header are shared by all calls: a transport changes
	// neither.
	req := (&http.Request{
		Method: http.MethodPost, URL: r.URL, Host: r.URL.Host, Header: f.header(r),
		Body: out, GetBody: out.again, ContentLength: out.length(),
	}).WithContext(ctx)
	resp, err := c.transport.RoundTrip(req)
	if err != nil {
		return Answer{}, c.broken(ctx, phaseRequest, err)
	}
	a := Answer{Status: resp.StatusCode, UpstreamID: c.id(resp.Header, f.secret), Header: resp.Header, Calls: 1, secret: f.secret}
	if err := c.receive(ctx, resp, r.Stream, &a); err != nil {
		return Answer{}, err
	}
	return a, nil
}

func (f *face) header(r Request) http.Header {
	h := f.plain
	if r.Stream {
		h = f.stream
	}
	if len(r.Header) == 0 {
		return h
	}
	h = maps.Clone(h)
	maps.Copy(h, r.Header)
	return h
}

func (c *Client) id(h http.Header, secret []byte) string {
	for _, name := range c.ids {
		if v := h[name]; len(v) > 0 {
			return string(hide([]byte(v[0]), secret))
		}
	}
	return ""
}
