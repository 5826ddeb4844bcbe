// Package openairesponses calls upstreams of the OpenAI format, and adds the Responses API to
// package openaicompat. Some models exist only there. catalog.Wire.API says which API serves a
// model. The package translates chat requests into the format of the Responses API, and
// translates responses and streams back. It works on raw JSON: values that both formats share
// are copied as the client wrote them. A field that the Responses API does not have is dropped
// and reported, or the request is rejected.
//
// The upstream never stores a response. Its reasoning is requested as encrypted content. It
// becomes an entry of reasoning_details, which clients send back with the next turn.
package openairesponses

import (
	"context"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/openaicompat"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/upstream"
)

// Config configures one upstream. See openaicompat.Config.
type Config = upstream.Config

// Provider calls one upstream. It is safe for concurrent use. Embeddings, and chats at
// endpoints that do not use the Responses API, are served by openaicompat.Provider.
type Provider struct {
	*openaicompat.Provider
}

// New returns a provider. It fails if BaseURL is not an absolute http or https URL, or if
// Transport is nil.
func New(c Config) (*Provider, error) {
	p, err := openaicompat.New(c)
	if err != nil {
		return nil, err
	}
	return &Provider{Provider: p}, nil
}

// CompleteChat sends a chat request. If the endpoint uses the Responses API, the request is
// translated. If that API cannot express the request, CompleteChat sends nothing. It fails with
// UNSUPPORTED_PARAMETER and names the field in the detail param. If the upstream rejects the
// encrypted reasoning of the conversation, CompleteChat returns a *provider.RepeatError that
// asks for a call without it.
func (p *Provider) CompleteChat(ctx context.Context, call provider.Call) (*provider.Response, error) {
	if !call.Wire.UsesResponses(false) {
		return p.Provider.CompleteChat(ctx, call)
	}
	translated, err := translateRequest(call)
	if err != nil {
		return nil, err
	}
	raw, err := p.SendResponses(ctx, call, translated.pieces)
	if isEncryptionError(err) && translated.hasReasoning {
		err = &provider.RepeatError{Err: err, Reason: provider.NoSignatures, Next: provider.Repeat{OmitSignatures: true}}
	}
	if err != nil {
		return nil, err
	}
	response := raw.ToProviderResponse()
	response.DroppedFields = translated.dropped
	if raw.Stream != nil {
		response.Events = &eventStream{Events: p.ReadEvents(ctx, raw)}
		return response, nil
	}
	response.Body, err = translateResponse(raw.Body)
	if err != nil {
		return nil, err
	}
	return response, nil
}

// isEncryptionError reports whether the upstream rejected the request because it cannot decrypt
// the reasoning. It rejects the reasoning of another organization, for example.
func isEncryptionError(err error) bool {
	if apperr.CodeOf(err) != apperr.ProviderBadRequest {
		return false
	}
	text := strings.ToLower(apperr.From(err).Message)
	return strings.Contains(text, "encrypted content") || strings.Contains(text, "encrypted_content")
}
