// Package gemini serves clients that speak Google's generateContent API.
//
// ToChat translates a request into the chat format, and its Responder translates the
// response back. A Relay forwards the response of an upstream that speaks the same API.
// Both also exist for embeddings, without streams.
//
// Google's clients return a thought signature with each function call: an encrypted record of
// the thinking before the call. If another vendor served the request, the gateway stores that
// vendor's reasoning there, and finds it in the next request. File state.go has the format.
//
// The package contains no HTTP code. Package requestbody parses the requests.
package gemini

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
)

// Protocol implements inbound.Protocol.
type Protocol struct {
	// Array is set for a stream that the client requested without alt=sse. Google then sends
	// one JSON array, element by element, instead of server-sent events.
	Array bool
}

var _ inbound.Protocol = Protocol{}

// CountTokensBody returns the response to a countTokens call.
func CountTokensBody(tokens int64) []byte {
	var w jsonWriter
	w.open('{')
	w.key("totalTokens").number(tokens)
	w.close("}")
	return w.buf
}

// ToChat translates a generateContent request into the chat format. It translates an
// embeddings request into the embeddings format of OpenAI.
func (p Protocol) ToChat(r *requestbody.Request) (*inbound.Translation, error) {
	if r.Kind == catalog.Embeddings {
		return translateEmbeddings(r)
	}
	t := requestTranslator{req: r}
	body, err := t.translate()
	if err != nil {
		return nil, err
	}
	responder := &responder{names: t.names, includeThoughts: t.includeThoughts, array: p.Array}
	return &inbound.Translation{Body: body, Dropped: t.sortedDropped(), Responder: responder}, nil
}

// NewRelay returns the reader of one stream of Google's API.
func (p Protocol) NewRelay(o inbound.Options) inbound.Relay {
	return &relay{model: o.Model, frames: frameWriter{array: p.Array}}
}

// RelayBody reads a complete response of Google's API. Only modelVersion changes.
func (p Protocol) RelayBody(body []byte, o inbound.Options) (normalize.Response, error) {
	var e relayedEvent
	if err := e.parse(body); err != nil {
		return e.response(), err
	}
	response := e.response()
	if !e.hasCandidates && !e.isBlocked {
		return response, errNoCandidates()
	}
	response.Body = e.appendWithModel(make([]byte, 0, len(body)+len(o.Model)), e.Source(), o.Model)
	response.OutputTextBytes = e.textBytes
	return response, nil
}

// KeepAlive returns white space. The official Python and Go clients fail at a comment, which
// would be the usual keep-alive of server-sent events, but all clients skip empty lines.
func (p Protocol) KeepAlive() []byte {
	if p.Array {
		return []byte("\n")
	}
	return []byte("\n\n")
}
