package anthropic

import (
	"context"
	"io"
	"slices"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/outbound"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/upstream"
)

var _ provider.NativeCaller = (*Provider)(nil)

// Speaks reports whether the protocol is the Messages protocol.
func (p *Provider) Speaks(protocol requestbody.Protocol) bool {
	return protocol == requestbody.Messages
}

// CallNative sends a request of the Messages protocol. The upstream receives the client's body
// with the upstream's model name, so that signatures and the upstream's prompt cache stay valid.
func (p *Provider) CallNative(ctx context.Context, call provider.Call) (*provider.Response, error) {
	pieces, dropped, err := outbound.BuildNative(call.Request, call.UpstreamModel, withoutImpossibleThinking(call.Wire, call.Request))
	if err != nil {
		return nil, err
	}
	raw, err := p.client.Do(ctx, upstream.Request{
		Address: p.nativeAddress(call.Query), Model: call.UpstreamModel, TriedKeys: call.Repeat.TriedKeys,
		BodyPieces: pieces, Stream: call.Request.Stream, Header: call.Header, TraceParent: call.TraceParent,
	})
	if err != nil {
		return nil, err
	}
	response := raw.ToProviderResponse()
	response.Body, response.DroppedFields = raw.Body, dropped
	if raw.Stream != nil {
		events := &nativeEvents{Events: p.client.ReadEvents(ctx, raw)}
		response.Events, response.TranslateEvent = events, events.translate
	}
	return response, nil
}

// thinkingMembers are the members of a request that need thinking.
var thinkingMembers = []string{"thinking", "context_management"}

// withoutImpossibleThinking returns a wire that drops thinking if the upstream would reject the
// request: thinking with a budget, in a tool loop that a model of another vendor began without
// thinking. The loop goes on without thinking.
func withoutImpossibleThinking(w *catalog.Wire, r *requestbody.Request) *catalog.Wire {
	if !r.EndsWithToolResult || !r.CallsLackThinking || !hasThinkingBudget(r) {
		return w
	}
	var dropping catalog.Wire
	if w != nil {
		dropping = *w
	}
	dropping.Drop = slices.Concat(dropping.Drop, thinkingMembers)
	return &dropping
}

func hasThinkingBudget(r *requestbody.Request) bool {
	m := r.FindMember("thinking")
	return m != nil && stringValue(jsonscan.Member(r.MemberValue(m), "type")) == "enabled"
}

func (p *Provider) nativeAddress(query string) *egress.Address {
	if query == "" {
		return p.messages
	}
	u := *p.messagesURL
	u.RawQuery = query
	return egress.NewAddress(&u)
}

// nativeEvents returns the upstream's events unchanged.
type nativeEvents struct {
	*upstream.Events
	translator streamTranslator
	done       bool
}

// Next returns the next event. It returns io.EOF after message_stop, like eventStream.Next.
func (e *nativeEvents) Next() ([]byte, error) {
	if e.done {
		e.Finish()
		return nil, io.EOF
	}
	data, err := e.Events.Next()
	e.done = err == nil && e.isStop(data)
	return data, err
}

// isStop reports whether the current event is message_stop. Events usually have a name.
func (e *nativeEvents) isStop(data []byte) bool {
	name := e.Name()
	if len(name) == 0 && len(data) > 0 {
		name = jsonscan.DecodeString(jsonscan.Member(data, "type"))
	}
	return string(name) == "message_stop"
}

func (e *nativeEvents) translate(data []byte) ([]byte, error) {
	if e.translator.names == nil {
		e.translator.names = new(toolNames)
	}
	return e.translator.translateEvent(e.Name(), data)
}
