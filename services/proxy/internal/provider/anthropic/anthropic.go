// Package anthropic talks to upstreams that speak the Messages format: the
// vendor that made it and those that copied it. It turns our clients' requests
// into that format and its answers and streams back, over the raw JSON: what
// both formats have is copied as the client wrote it, and what only one has is
// passed on, named as dropped or refused. It serves no embeddings. What a model
// of it takes and what not is data, in catalog.Wire.
package anthropic

import (
	"context"
	"net/http"
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
	// BaseURL is what /v1/messages is appended to; it may end in the /v1.
	BaseURL string
	// Keys are sent as x-api-key; without them, none is.
	Keys *keypool.Pool
	// Transport makes the calls.
	Transport egress.Caller
	// Version is told to the upstream in User-Agent.
	Version string
}

// formatVersion is the version of the format that is written here.
const formatVersion = "2023-06-01"

// Provider is one upstream. It is safe for concurrent use.
type Provider struct {
	client   *upstream.Client
	messages *egress.Address
}

// New makes a provider. It fails on a base URL that is no absolute http URL.
func New(c Config) (*Provider, error) {
	base, err := upstream.Base(c.Name, c.BaseURL)
	if err != nil {
		return nil, err
	}
	client, err := upstream.New(upstream.Config{
		Name: c.Name, Transport: c.Transport, Keys: c.Keys, Version: c.Version,
		Header:    http.Header{"Anthropic-Version": {formatVersion}},
		Authorize: func(h http.Header, key string) { h.Set("X-Api-Key", key) },
		IDHeaders: []string{"Request-Id", "X-Request-Id"},
	})
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(strings.TrimRight(base.Path, "/"), "/v1") {
		base = base.JoinPath("v1")
	}
	return &Provider{client: client, messages: egress.NewAddress(base.JoinPath("messages"))}, nil
}

// Chat makes one call. A stream must be read and closed by the caller. What the
// format has no word for is UNSUPPORTED_PARAMETER with the detail param, before
// anything is sent.
func (p *Provider) Chat(ctx context.Context, call provider.Call) (*provider.Reply, error) {
	out, err := translate(call)
	if err != nil {
		return nil, err
	}
	answer, err := p.client.Do(ctx, upstream.Request{
		To: p.messages, Model: call.Upstream, Pieces: out.pieces, Stream: call.Request.Stream,
	})
	if err != nil {
		return nil, err
	}
	reply := answer.Reply()
	reply.Dropped = out.dropped
	if answer.Stream != nil {
		reply.Events = newEvents(p.client.Events(ctx, answer), out.names)
		return reply, nil
	}
	reply.Body, err = translateAnswer(answer.Body, out.names)
	if err != nil {
		return nil, err
	}
	return reply, nil
}
