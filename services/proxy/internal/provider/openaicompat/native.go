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
	return protocol == requestbody.Responses && p.speaksResponses
}

// CallNative sends a request of the Responses protocol. The upstream receives the client's
// body with the upstream's model name, except for the changes of outbound.BuildNative.
func (p *Provider) CallNative(ctx context.Context, call provider.Call) (*provider.Response, error) {
	pieces, dropped, err := outbound.BuildNative(call.Request, call.UpstreamModel, call.Wire)
	if err != nil {
		return nil, err
	}
	raw, err := p.SendResponses(ctx, call, pieces)
	if err != nil {
		return nil, err
	}
	response := raw.ToProviderResponse()
	response.Body, response.DroppedFields = raw.Body, dropped
	if raw.Stream != nil {
		response.Events = p.client.ReadEvents(ctx, raw)
	}
	return response, nil
}

// SendResponses sends a body in the format of the Responses API.
func (p *Provider) SendResponses(ctx context.Context, call provider.Call, pieces [][]byte) (upstream.Response, error) {
	return p.client.Do(ctx, upstream.Request{
		Address: p.responses.forModel(call.UpstreamModel), Model: call.UpstreamModel, TriedKeys: call.Repeat.TriedKeys, Pin: call.Pin,
		BodyPieces: pieces, Stream: call.Request.Stream, Header: call.Header, TraceParent: call.TraceParent,
	})
}

// ReadEvents returns a reader of the stream of a response.
func (p *Provider) ReadEvents(ctx context.Context, raw upstream.Response) *upstream.Events {
	return p.client.ReadEvents(ctx, raw)
}
