// Package gemini calls Google's generateContent API. It translates OpenAI requests into
// Google's format, and translates responses, streams and embeddings back. It works on raw
// JSON: values that mean the same in both formats are copied unchanged and in order. A
// field that Google does not support is rejected before the call, or it is omitted and
// reported as dropped.
//
// Package upstreamerror classifies errors. Package gemini never fetches URLs on
// behalf of a client.
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
	"github.com/signalbox/signalbox/services/proxy/internal/provider/upstream"
)

// Config configures one upstream. Keys are sent as x-goog-api-key, unless Authorize is set.
// Authorize is for services that offer the same API with another authorization.
type Config = upstream.Config

// Provider calls one upstream. It is safe for concurrent use.
type Provider struct {
	client  *upstream.Client
	baseURL *url.URL
}

// New returns a provider. It fails if BaseURL is not an absolute http or https URL, or if
// Transport is nil.
func New(c Config) (*Provider, error) {
	base, err := upstream.ParseBaseURL(c.Name, c.BaseURL)
	if err != nil {
		return nil, err
	}
	if c.Authorize == nil {
		c.Authorize = func(h http.Header, key string) { h.Set("X-Goog-Api-Key", key) }
	}
	client, err := upstream.New(c)
	if err != nil {
		return nil, err
	}
	return &Provider{client: client, baseURL: base}, nil
}

// CompleteChat sends one request. The conversation may contain thought signatures: Google's
// encrypted record of earlier thinking. If Google rejects them, CompleteChat returns a
// *provider.RepeatError that asks for a call without them. If the response has Events, the caller must read and close them.
func (p *Provider) CompleteChat(ctx context.Context, call provider.Call) (*provider.Response, error) {
	mode := signatureMode(!call.Repeat.OmitSignatures)
	body, dropped, err := buildChatRequest(call, mode)
	if err != nil {
		return nil, err
	}
	raw, err := p.callGenerate(ctx, call, [][]byte{body})
	if isSignatureError(err) && hasSignatures(call, body) {
		err = &provider.RepeatError{Err: err, Reason: provider.NoSignatures, Next: provider.Repeat{OmitSignatures: true}}
	}
	if err != nil {
		return nil, err
	}
	response := raw.ToProviderResponse()
	response.DroppedFields = dropped
	switch {
	case raw.Stream != nil:
		response.Events = newEventStream(p.client.ReadEvents(ctx, raw))
	case isArray(raw.Body):
		response.Events = newEventStream(newArrayEvents(raw.Body))
	default:
		var id string
		response.Body, id = translateResponse(raw.Body)
		response.UpstreamID = cmp.Or(response.UpstreamID, id)
	}
	return response, nil
}

// hasSignatures reports whether body contains signatures of the conversation that can be omitted.
func hasSignatures(call provider.Call, body []byte) bool {
	unsigned, _, _ := buildChatRequest(call, omitSignatures)
	return !bytes.Equal(unsigned, body)
}

func (p *Provider) callGenerate(ctx context.Context, call provider.Call, pieces [][]byte) (upstream.Response, error) {
	method, query := "generateContent", ""
	if call.Request.Stream {
		method, query = "streamGenerateContent", "alt=sse"
	}
	return p.client.Do(ctx, upstream.Request{
		Address: p.methodAddress(call.UpstreamModel, method, query), Model: call.UpstreamModel,
		TriedKeys: call.Repeat.TriedKeys, BodyPieces: pieces, Stream: call.Request.Stream, Header: call.Header, TraceParent: call.TraceParent,
	})
}

// methodAddress returns the address of a model's method.
func (p *Provider) methodAddress(model, method, query string) *egress.Address {
	segments := strings.Split(resourceName(model)+":"+method, "/")
	for i := range segments {
		segments[i] = url.PathEscape(segments[i])
	}
	u := p.baseURL.JoinPath(segments...)
	u.RawQuery = query
	return egress.NewAddress(u)
}

// resourceName returns the full resource name of a model. A name with a slash already
// includes its resource type.
func resourceName(model string) string {
	if strings.Contains(model, "/") {
		return model
	}
	return "models/" + model
}
