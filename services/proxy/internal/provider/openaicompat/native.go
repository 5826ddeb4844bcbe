package openaicompat

import (
	"context"

	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/outbound"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/upstream"
)

var _ provider.NativeCaller = (*Provider)(nil)

// Speaks reports whether the upstream serves the protocol. CompleteChat serves chat
// completions, so Speaks is true only for Responses.
func (p *Provider) Speaks(protocol requestbody.Protocol) bool {
	return protocol == requestbody.Responses && p.responses != nil
}

// CallNative sends a request of the Responses protocol. The upstream receives the client's
// body with the upstream's model name.
func (p *Provider) CallNative(ctx context.Context, call provider.Call) (*provider.Response, error) {
	raw, err := p.client.Do(ctx, upstream.Request{
		Address: p.responses.forModel(call.UpstreamModel), Model: call.UpstreamModel, TriedKeys: call.Repeat.TriedKeys, Pin: call.Pin,
		BodyPieces: outbound.ReplaceModel(call.Request, call.UpstreamModel), Stream: call.Request.Stream, Header: call.Header,
	})
	if err != nil {
		return nil, err
	}
	response := raw.ToProviderResponse()
	response.Body = raw.Body
	if raw.Stream != nil {
		response.Events = p.client.ReadEvents(ctx, raw)
	}
	return response, nil
}
