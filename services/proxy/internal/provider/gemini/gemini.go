// Package gemini talks to Google's generateContent API. It turns a request of
// our clients' format into Google's, and Google's answers, streams and
// embeddings back, reading and writing raw JSON: values that mean the same in
// both are copied as they stand, in their order. What Google cannot do is
// refused before a call is made, or left out and named. It classes no errors
// and counts no tokens (package openai does) and fetches nothing on a client's
// behalf.
package gemini

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/keypool"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/upstream"
)

// Config is one upstream.
type Config struct {
	// Name is the provider's name in the policy.
	Name string
	// BaseURL is what /models/... is appended to.
	BaseURL string
	// Keys are sent as x-goog-api-key; without them, none is.
	Keys *keypool.Pool
	// Authorize sends a credential in another way, where the same API stands
	// behind another door; nil for x-goog-api-key.
	Authorize func(h http.Header, key string)
	// Transport makes the calls.
	Transport egress.Caller
	// Version is told to the upstream in User-Agent.
	Version string
}

// Provider is one upstream. It is safe for concurrent use.
type Provider struct {
	client *upstream.Client
	base   *url.URL
}

// New makes a provider. It fails on a base URL that is no absolute http URL.
func New(c Config) (*Provider, error) {
	base, err := upstream.Base(c.Name, c.BaseURL)
	if err != nil {
		return nil, err
	}
	if c.Authorize == nil {
		c.Authorize = func(h http.Header, key string) { h.Set("X-Goog-Api-Key", key) }
	}
	client, err := upstream.New(upstream.Config{
		Name: c.Name, Transport: c.Transport, Keys: c.Keys, Authorize: c.Authorize, Version: c.Version,
	})
	if err != nil {
		return nil, err
	}
	return &Provider{client: client, base: base}, nil
}

// Chat makes one call, or two where Google does not trust the signatures that
// the conversation has: the second goes without. A stream must be read and
// closed by the caller.
func (p *Provider) Chat(ctx context.Context, call provider.Call) (*provider.Reply, error) {
	body, dropped, err := chatRequest(call, replay)
	if err != nil {
		return nil, err
	}
	answer, err := p.generate(ctx, call, body)
	if mistrusted(err) {
		if bare, without, _ := chatRequest(call, forget); !bytes.Equal(bare, body) {
			dropped = without
			answer, err = p.generate(ctx, call, bare)
			answer.Calls++
		}
	}
	if err != nil {
		return nil, err
	}
	reply := answer.Reply()
	reply.Dropped = dropped
	switch {
	case answer.Stream != nil:
		reply.Events = newEvents(p.client.Events(ctx, answer))
	case isArray(answer.Body):
		reply.Events = newEvents(newListed(answer.Body))
	default:
		var id string
		reply.Body, id = chatAnswer(answer.Body)
		reply.UpstreamID = cmp.Or(reply.UpstreamID, id)
	}
	return reply, nil
}

func (p *Provider) generate(ctx context.Context, call provider.Call, body []byte) (upstream.Answer, error) {
	method, query := "generateContent", ""
	if call.Request.Stream {
		method, query = "streamGenerateContent", "alt=sse"
	}
	return p.client.Do(ctx, upstream.Request{
		To: p.address(call.Upstream, method, query), Model: call.Upstream,
		Pieces: [][]byte{body}, Stream: call.Request.Stream,
	})
}

// address is where a model's method is called.
func (p *Provider) address(model, method, query string) *egress.Address {
	segments := strings.Split(resource(model)+":"+method, "/")
	for i := range segments {
		segments[i] = url.PathEscape(segments[i])
	}
	u := p.base.JoinPath(segments...)
	u.RawQuery = query
	return egress.NewAddress(u)
}

// resource is a model's full name. One with a slash says itself what kind of
// model it is.
func resource(model string) string {
	if strings.Contains(model, "/") {
		return model
	}
	return "models/" + model
}
