// Package messages serves clients that use Anthropic's Messages API, such as Claude Code.
//
// ToChat translates a request into a chat. The Responder of the translation turns the chat's
// response back into a message or into the events of a stream. A Relay forwards the events of
// an upstream that uses the same protocol.
//
// Thinking of other vendors becomes a thinking block. Its signature starts with
// requestbody.ThinkingMark and contains the reasoning_details of the chat. When the client
// sends the block back, ToChat restores the details, so that the vendor recognizes its own
// thinking.
package messages

import (
	"slices"
	"strconv"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
)

// Protocol implements inbound.Protocol.
type Protocol struct{}

var _ inbound.Protocol = Protocol{}

const pingEvent = "event: ping\ndata: {\"type\":\"ping\"}\n\n"

// KeepAlive returns a ping event.
func (Protocol) KeepAlive() []byte { return []byte(pingEvent) }

// StripState returns the request without the thinking blocks that the gateway handed out.
func (Protocol) StripState(r *requestbody.Request) (*requestbody.Request, error) {
	return requestbody.StripOwnThinking(r)
}

// CountTokensBody returns the response to a request that counts tokens.
func CountTokensBody(inputTokens int64) []byte {
	return append(strconv.AppendInt([]byte(`{"input_tokens":`), inputTokens, 10), '}')
}

// ToChat translates a request into a chat.
func (Protocol) ToChat(r *requestbody.Request) (*inbound.Translation, error) {
	if len(r.NativeOnly) > 0 {
		return nil, nativeOnlyError(r.NativeOnly[0])
	}
	t := newRequestTranslator(r)
	for i := range r.Members() {
		m := &r.Members()[i]
		t.readMember(string(r.MemberName(m)), r.MemberValue(m))
	}
	body := t.buildBody()
	if t.err != nil {
		return nil, t.err
	}
	slices.Sort(t.dropped)
	return &inbound.Translation{Body: body, Dropped: t.dropped, Responder: &t.responder}, nil
}

// nativeOnlyParts describes the names in Request.NativeOnly for clients.
var nativeOnlyParts = map[string]struct{ param, text string }{
	"signature":     {"messages", "thinking that Anthropic has signed"},
	"file_id":       {"messages", "files that are stored at Anthropic"},
	"document":      {"messages", "documents given by URL"},
	"prefill":       {"messages", "the beginning of the response as its last message"},
	"server_tool":   {"tools", "tools that Anthropic runs"},
	"client_tool":   {"tools", "tools that Anthropic defines"},
	"mcp_servers":   {"mcp_servers", "MCP servers that Anthropic calls"},
	"container":     {"container", "a container at Anthropic"},
	"inference_geo": {"inference_geo", "the region in which Anthropic runs the model"},
}

func nativeOnlyError(name string) error {
	part, ok := nativeOnlyParts[name]
	if !ok {
		part.param, part.text = "messages", "content blocks that other protocols do not have"
	}
	return unsupportedError(part.param, "the request contains "+part.text+": only providers of the Messages API can serve it")
}

func unsupportedError(param, message string) error {
	return apperr.New(apperr.UnsupportedParameter, message).With("param", param)
}
