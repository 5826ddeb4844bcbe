// Package anthropic calls upstreams that implement the Anthropic Messages API. It
// translates OpenAI requests into the Messages format, and translates responses and
// streams back. It works on raw JSON: values that both formats share are copied as the
// client wrote them. Clients may also send fields of the Messages format. A field that the
// Messages format does not have is dropped and reported, or the request is rejected.
// catalog.Wire lists the fields and values that a model treats differently.
//
// The package does not serve embeddings.
package anthropic

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/upstream"
)

// Config configures one upstream. BaseURL may end in /v1. Keys are sent as x-api-key.
type Config = upstream.Config

// formatVersion is the version of the Messages format that this package writes.
const formatVersion = "2023-06-01"

// Provider calls one upstream. It is safe for concurrent use.
type Provider struct {
	client      *upstream.Client
	messagesURL *url.URL
	messages    *egress.Address
}

// New returns a provider. It fails if BaseURL is not an absolute http or https URL, or if
// Transport is nil.
func New(c Config) (*Provider, error) {
	base, err := upstream.ParseBaseURL(c.Name, c.BaseURL)
	if err != nil {
		return nil, err
	}
	c.Header = http.Header{"Anthropic-Version": {formatVersion}}
	c.Authorize = func(h http.Header, key string) { h.Set("X-Api-Key", key) }
	c.IDHeaders = []string{"Request-Id", "X-Request-Id"}
	client, err := upstream.New(c)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(strings.TrimRight(base.Path, "/"), "/v1") {
		base = base.JoinPath("v1")
	}
	messages := base.JoinPath("messages")
	return &Provider{client: client, messagesURL: messages, messages: egress.NewAddress(messages)}, nil
}

// CompleteChat translates a chat request and sends it. If the response has Events, the caller
// must read and close them. If the Messages format cannot express the request, CompleteChat
// sends nothing. It fails with UNSUPPORTED_PARAMETER and names the field in the detail param.
func (p *Provider) CompleteChat(ctx context.Context, call provider.Call) (*provider.Response, error) {
	translated, err := translateRequest(call)
	if err != nil {
		return nil, err
	}
	raw, err := p.client.Do(ctx, upstream.Request{
		Address: p.messages, Model: call.UpstreamModel, TriedKeys: call.Repeat.TriedKeys,
		BodyPieces: translated.pieces, Stream: call.Request.Stream, TraceParent: call.TraceParent,
	})
	if err != nil {
		return nil, err
	}
	response := raw.ToProviderResponse()
	response.DroppedFields = translated.dropped
	if raw.Stream != nil {
		response.Events = newEventStream(p.client.ReadEvents(ctx, raw), translated.names)
		return response, nil
	}
	response.Body, err = translateResponse(raw.Body, translated.names)
	if err != nil {
		return nil, err
	}
	return response, nil
}
