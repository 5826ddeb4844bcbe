// Package inbound defines how the proxy serves clients that do not speak chat completions.
// Each protocol has a folder here: messages (Anthropic), responses (OpenAI) and gemini.
//
// There are two ways to serve such a request:
//
//   - Translate. The chat format, with the extensions that the provider adapters know
//     (such as reasoning_details), is the canonical conversation. ToChat translates the
//     request into it, the adapter of any provider serves it, and the Responder translates
//     the response back.
//   - Relay. If the upstream speaks the client's protocol, the request is forwarded
//     unchanged except for the model. A Relay reads the response only to learn its usage and
//     its state, and forwards it.
//
// The package contains no HTTP code. Package requestbody parses the requests.
package inbound

import (
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
)

// Protocol is one client protocol. Implementations have no state.
type Protocol interface {
	// ToChat translates a request. It fails with UNSUPPORTED_PARAMETER and the detail param
	// if the chat format cannot express the request.
	ToChat(r *requestbody.Request) (*Translation, error)
	// StripState returns the request without the reasoning that the gateway handed out,
	// because upstreams of the protocol reject it. All other bytes stay the same. It is
	// called if r.HasGatewayState is set.
	StripState(r *requestbody.Request) (*requestbody.Request, error)
	// NewRelay returns the reader of one streamed response in the client's own protocol.
	NewRelay(o Options) Relay
	// RelayBody reads a complete response in the client's own protocol. It fails with
	// PROVIDER_INVALID_RESPONSE, or with the error that the body reports.
	RelayBody(body []byte, o Options) (normalize.Response, error)
	// KeepAlive is the event that keeps an idle stream open.
	KeepAlive() []byte
}

// Options are the values that a response shows to the client.
type Options struct {
	// ID is the id of the request, without a prefix of the protocol.
	ID string
	// Created is the Unix time in seconds.
	Created int64
	// Model is our name of the model that serves the request.
	Model string
	// Store is set if the client wants the response to be stored.
	Store bool
	// WrapID returns the id under which the client can refer to an object that the upstream
	// stores. It returns false if the client cannot refer to it. It may be nil. Only relays use
	// it.
	WrapID func(upstreamID string) (string, bool)
}

// Translation is a request in the chat format.
type Translation struct {
	// Body is the body of a chat completion. If the client requests a stream, it also
	// requests usage.
	Body []byte
	// Dropped names the members of the client's request that Body does not contain.
	Dropped []string
	Responder
}

// Responder translates the response to one request. It knows, for example, the original
// names of tools that ToChat had to rename.
type Responder interface {
	// FromChat translates a complete response that package normalize has returned.
	FromChat(body []byte, o Options) ([]byte, error)
	NewStream(o Options) Stream
}

// Stream translates one response into the events of the protocol. Use it from one goroutine.
type Stream interface {
	// AppendChunk appends the events for one chunk: the JSON of one frame of
	// normalize.Stream.
	AppendChunk(dst, chunk []byte) ([]byte, error)
	// AppendEnd appends the events after the last chunk.
	AppendEnd(dst []byte) []byte
	// AppendError appends the event that ends a broken stream. It contains e.Body in the
	// protocol's format.
	AppendError(dst []byte, e *apperr.Error, o apperr.Options) []byte
}

// Relay forwards one streamed response. Its methods mean the same as those of
// normalize.Stream.
type Relay interface {
	// AppendEvent appends the frame for one event of the upstream. It changes only the
	// model name and the ids of stored objects. It fails with the error that the event reports if nothing was sent yet.
	AppendEvent(dst, payload []byte) ([]byte, error)
	Finish(dst []byte) ([]byte, error)
	AppendError(dst []byte, e *apperr.Error, o apperr.Options) []byte
	HasStarted() bool
	IsFinished() bool
	HasCompleteUsage() bool
	MarkDone()
	OutputTextBytes() int
	ReportedValues() normalize.Response
}
