// Package openaicompat calls upstreams that implement the OpenAI wire format: OpenAI
// itself, compatible clouds and self-hosted servers. It forwards the request body as
// the client wrote it, except for the model name and the deviations listed in
// catalog.Wire. It forwards no client headers. Package normalize adapts the responses.
package openaicompat

import (
	"context"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/outbound"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/upstream"
)

// Config configures one upstream. Keys are sent as bearer tokens, unless Wire names another
// header. Only the HTTP part of Wire is used here.
type Config = upstream.Config

// Provider calls one upstream. It is safe for concurrent use.
type Provider struct {
	client                      *upstream.Client
	chat, embeddings, responses urlTemplate
	// speaksResponses is set if all models are available through the Responses API.
	speaksResponses bool
}

// New returns a provider. It fails if BaseURL is not an absolute http or https URL, or if
// Transport is nil.
func New(c Config) (*Provider, error) {
	base, err := upstream.ParseBaseURL(c.Name, c.BaseURL)
	if err != nil {
		return nil, err
	}
	var wireHTTP catalog.WireHTTP
	if c.Wire != nil && c.Wire.HTTP != nil {
		wireHTTP = *c.Wire.HTTP
	}
	c.Authorize, c.IDHeaders = customAuthorizer(wireHTTP), []string{"X-Request-Id", "Apim-Request-Id"}
	client, err := upstream.New(c)
	if err != nil {
		return nil, err
	}
	return &Provider{
		client:          client,
		chat:            newURLTemplate(base, wireHTTP.ChatPath, "/chat/completions", wireHTTP.Query),
		embeddings:      newURLTemplate(base, wireHTTP.EmbeddingsPath, "/embeddings", wireHTTP.Query),
		responses:       newURLTemplate(base, wireHTTP.ResponsesPath, "/responses", wireHTTP.Query),
		speaksResponses: c.Wire.UsesResponses(wireHTTP.ResponsesPath != ""),
	}, nil
}

// CompleteChat sends a chat request. If the response has Events, the caller must read and
// close them.
func (p *Provider) CompleteChat(ctx context.Context, call provider.Call) (*provider.Response, error) {
	return p.send(ctx, p.chat.forModel(call.UpstreamModel), call)
}

// Embed sends the inputs in one request. If the upstream does not accept that many inputs at
// once, Embed sends several requests in sequence.
func (p *Provider) Embed(ctx context.Context, call provider.Call) (*provider.Response, error) {
	if call.Wire == nil || call.Wire.MaxInputs == 0 {
		return p.send(ctx, p.embeddings.forModel(call.UpstreamModel), call)
	}
	batches, err := outbound.SplitBatches(call.Request, call.Wire.MaxInputs)
	if err != nil {
		return nil, err
	}
	var bodies [][]byte
	var response *provider.Response
	calls := 0
	for _, b := range batches {
		call.Request = b
		if response, err = p.send(ctx, p.embeddings.forModel(call.UpstreamModel), call); err != nil {
			return nil, err
		}
		bodies, calls = append(bodies, response.Body), calls+response.UpstreamCalls
	}
	if len(bodies) > 1 {
		response.UpstreamCalls = calls
		response.ReleaseBody = nil
		response.Body, err = normalize.JoinEmbeddings(bodies, batches)
	}
	return response, err
}

func (p *Provider) send(ctx context.Context, to *egress.Address, call provider.Call) (*provider.Response, error) {
	pieces, dropped, err := outbound.Build(call.Request, call.UpstreamModel, call.Wire)
	if err != nil {
		return nil, err
	}
	raw, err := p.client.Do(ctx, upstream.Request{
		Address: to, Model: call.UpstreamModel, TriedKeys: call.Repeat.TriedKeys, BodyPieces: pieces, Stream: call.Request.Stream, TraceParent: call.TraceParent,
	})
	if err != nil {
		return nil, err
	}
	response := raw.ToProviderResponse()
	response.Body, response.ReleaseBody, response.DroppedFields = raw.Body, raw.ReleaseBody, dropped
	if raw.Stream != nil {
		response.Events = p.client.ReadEvents(ctx, raw)
	}
	return response, nil
}
