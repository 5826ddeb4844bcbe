// Package openaicompat talks to every upstream that speaks our clients' own
// format: the vendor that made it, the clouds that copied it and the servers
// people run themselves. A request goes out as the client wrote it, but for
// the model's name and for what catalog.Wire says that the upstream wants
// otherwise; nothing else of the client's goes with it. It normalises nothing
// (package openai does) and is configured by the policy alone.
package openaicompat

import (
	"context"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/keypool"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/upstream"
)

// Config is one upstream.
type Config struct {
	// Name is the provider's name in the policy.
	Name string
	// BaseURL is what /chat/completions and /embeddings are appended to.
	BaseURL string
	// Wire says how the upstream is called; only its HTTP counts here.
	Wire *catalog.Wire
	// Keys are sent as bearer tokens, if Wire has no other header for them;
	// without keys, no Authorization is sent.
	Keys *keypool.Pool
	// Transport makes the calls.
	Transport egress.Caller
	// Version is told to the upstream in User-Agent.
	Version string
}

// Provider is one upstream. It is safe for concurrent use.
type Provider struct {
	client           *upstream.Client
	chat, embeddings address
}

// New makes a provider. It fails on a base URL that is no absolute http URL.
func New(c Config) (*Provider, error) {
	base, err := upstream.Base(c.Name, c.BaseURL)
	if err != nil {
		return nil, err
	}
	var how catalog.WireHTTP
	if c.Wire != nil && c.Wire.HTTP != nil {
		how = *c.Wire.HTTP
	}
	client, err := upstream.New(upstream.Config{
		Name: c.Name, Transport: c.Transport, Keys: c.Keys, Authorize: authorize(how), Version: c.Version,
		IDHeaders: []string{"X-Request-Id", "Apim-Request-Id"},
	})
	if err != nil {
		return nil, err
	}
	return &Provider{
		client:     client,
		chat:       newAddress(base, how.ChatPath, "/chat/completions", how.Query),
		embeddings: newAddress(base, how.EmbeddingsPath, "/embeddings", how.Query),
	}, nil
}

// Chat makes one call. A stream must be read and closed by the caller.
func (p *Provider) Chat(ctx context.Context, call provider.Call) (*provider.Reply, error) {
	return p.call(ctx, p.chat.of(call.Upstream), call)
}

// Embed makes one call, or several, one after the other, where the upstream
// takes fewer inputs at once.
func (p *Provider) Embed(ctx context.Context, call provider.Call) (*provider.Reply, error) {
	if call.Wire == nil || call.Wire.MaxInputs == 0 {
		return p.call(ctx, p.embeddings.of(call.Upstream), call)
	}
	batches, err := call.Request.Batches(call.Wire.MaxInputs)
	if err != nil {
		return nil, err
	}
	var bodies [][]byte
	var reply *provider.Reply
	calls := 0
	for _, b := range batches {
		call.Request = b
		if reply, err = p.call(ctx, p.embeddings.of(call.Upstream), call); err != nil {
			return nil, err
		}
		bodies, calls = append(bodies, reply.Body), calls+reply.Calls
	}
	if len(bodies) > 1 {
		reply.Calls = calls
		reply.Body, err = openai.JoinEmbeddings(bodies, batches)
	}
	return reply, err
}

func (p *Provider) call(ctx context.Context, to *egress.Address, call provider.Call) (*provider.Reply, error) {
	pieces, dropped, err := call.Request.OutboundTo(call.Upstream, call.Wire)
	if err != nil {
		return nil, err
	}
	answer, err := p.client.Do(ctx, upstream.Request{
		To: to, Model: call.Upstream, Pieces: pieces, Stream: call.Request.Stream,
	})
	if err != nil {
		return nil, err
	}
	reply := answer.Reply()
	reply.Body, reply.Dropped = answer.Body, dropped
	if answer.Stream != nil {
		reply.Events = p.client.Events(ctx, answer)
	}
	return reply, nil
}
