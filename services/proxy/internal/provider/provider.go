// Package provider defines the interfaces between the gateway and the model
// vendors. An adapter takes a Call with a request in the OpenAI wire format and
// returns a Response in the same format. It hides the vendor's own format.
//
// An adapter sends each request once. Only an embeddings request that is too long for the
// upstream is split into several calls. If the same provider could succeed at once with
// another key, without data that it rejected or on a new connection, the adapter returns a
// RepeatError. Package dispatch makes all retries. It also chooses the candidates and records
// the attempts. Adapters never import each other.
package provider

import (
	"context"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/storedid"
)

// Call is one attempt to serve a request at one provider.
type Call struct {
	Request *requestbody.Request
	// UpstreamModel is the provider's own name for the model.
	UpstreamModel string
	// Wire lists how the upstream deviates from the format that it implements. It is
	// nil if there are no deviations.
	Wire *catalog.Wire
	// MaxOutputTokens is the maximum output of the model. Zero means unknown.
	MaxOutputTokens int64
	// Repeat is how the call differs from earlier calls of the same request to this provider.
	Repeat Repeat
	// Pin is the credential that must be used, because the request refers to an object that was
	// stored with it. The zero value allows every credential. Only CallNative uses it.
	Pin storedid.Fingerprint
	// Header and Query are what the client sent besides the body, as far as upstreams of its
	// protocol may receive it. The names of headers are in canonical form. Only CallNative
	// uses both.
	Header map[string][]string
	Query  string
	// TraceParent is the header that connects the call with the trace of the request, or "".
	TraceParent string
}

// Response is the result of a successful call. Exactly one of Body and Events is set.
// The upstream decides which one: a plain request may return Events, and a streaming
// request may return Body. The caller converts the result to the form that the client
// requested.
type Response struct {
	// Status is the upstream's HTTP status.
	Status int
	// Body is the complete response in the OpenAI format, not yet normalized.
	Body []byte
	// ReleaseBody may be nil. The caller may call it once, when it needs Body no longer, so that
	// the memory is reused.
	ReleaseBody func()
	// Events is the stream of response chunks. The caller must close it.
	Events Events
	// UpstreamID is the upstream's own id for the call.
	UpstreamID string
	// DroppedFields names the request fields that were not sent, or not with the client's
	// value. The upstream does not support them, and it can serve the request without them.
	DroppedFields []string
	// UpstreamCalls counts the calls made to the upstream. It exceeds 1 if the request was
	// split into batches. 0 means 1.
	UpstreamCalls int
	// ReportError may be nil. The caller passes to it an error that the upstream sent in
	// the body of a successful response, because the error may concern the credential.
	ReportError func(err error)
	// TranslateEvent may be nil. It translates one event of a native stream into a chunk of
	// the OpenAI format, for the transcript. The chunk is valid until the next call.
	TranslateEvent func(payload []byte) ([]byte, error)
	// Signer signs the ids of the objects that the call stored. It is nil if the upstream's
	// objects cannot be used again.
	Signer *storedid.Signer
}

// Events is a stream of chunks in the OpenAI format, not yet normalized.
type Events interface {
	// Next returns the payload of the next event. The payload is valid until the next
	// call. An empty payload that is not nil is a heartbeat: the upstream is alive, but has
	// nothing for the client. Next returns io.EOF only if the stream ended properly.
	Next() ([]byte, error)
	// Close cancels the upstream call and does not wait for it. It may be called
	// at any time, from any goroutine, more than once.
	Close() error
}

// ChatCompleter serves chat completions. Its errors are *apperr.Error values with codes
// such as PROVIDER_TIMEOUT or UNSUPPORTED_PARAMETER, or wrap one in a *RepeatError. If the upstream responded with an
// error, upstreamerror.Parse sets the details. Texts that a client may see never
// contain the credential, unless it is so short that it may be an ordinary word. ctx
// applies to the whole attempt, including reading Events.
type ChatCompleter interface {
	CompleteChat(ctx context.Context, call Call) (*Response, error)
}

// NativeCaller serves chats of clients that use the protocol of the upstream. Not every
// provider implements it. The upstream receives the client's body, byte for byte except for
// the model name and for fields that the endpoint does not accept: see outbound.BuildNative.
// The response has the format of the protocol too.
type NativeCaller interface {
	// Speaks reports whether CallNative serves requests of the protocol.
	Speaks(protocol requestbody.Protocol) bool
	// CallNative has the same errors as CompleteChat.
	CallNative(ctx context.Context, call Call) (*Response, error)
}

// Embedder serves embeddings. Not every provider implements it.
type Embedder interface {
	Embed(ctx context.Context, call Call) (*Response, error)
}
