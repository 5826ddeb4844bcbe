package gemini

import (
	"context"

	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/outbound"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

var _ provider.NativeCaller = (*Provider)(nil)

// Speaks reports whether the protocol is that of generateContent.
func (p *Provider) Speaks(protocol requestbody.Protocol) bool {
	return protocol == requestbody.Gemini
}

// CallNative sends a request of the generateContent protocol. The upstream receives the
// client's body. The model is a part of the path. If the body also names a model, it gets the
// upstream's name.
func (p *Provider) CallNative(ctx context.Context, call provider.Call) (*provider.Response, error) {
	pieces, dropped, err := outbound.BuildNative(call.Request, resourceName(call.UpstreamModel), call.Wire)
	if err != nil {
		return nil, err
	}
	raw, err := p.callGenerate(ctx, call, pieces)
	if err != nil {
		return nil, err
	}
	response := raw.ToProviderResponse()
	response.DroppedFields = dropped
	switch {
	case raw.Stream != nil:
		response.Events = nativeEvents{p.client.ReadEvents(ctx, raw)}
	case isArray(raw.Body):
		response.Events = nativeEvents{newArrayEvents(raw.Body)}
	default:
		response.Body = raw.Body
		return response, nil
	}
	translator := &responseTranslator{messageKey: deltaMember}
	response.TranslateEvent = func(payload []byte) ([]byte, error) { return translator.translate(payload), nil }
	return response, nil
}

// nativeEvents returns Google's events unchanged, except that it unwraps errors.
type nativeEvents struct{ provider.Events }

// Next returns the next event.
func (e nativeEvents) Next() ([]byte, error) {
	payload, err := e.Events.Next()
	return unwrapSingle(payload), err
}

// Ready reports whether the next event has already arrived.
func (e nativeEvents) Ready() bool {
	s, ok := e.Events.(interface{ Ready() bool })
	return ok && s.Ready()
}
