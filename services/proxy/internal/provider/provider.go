// Package provider is the seam between the gateway and the vendors. An adapter
// takes a request in our clients' format and answers in it; what a vendor
// speaks itself is the adapter's own affair. Adapters do not retry, choose or
// record: dispatch does. They never import each other.
package provider

import (
	"context"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
)

// Call is one attempt.
type Call struct {
	Request *openai.Request
	// Upstream is the provider's own name of the model.
	Upstream string
	// Wire is how the upstream deviates from the format it speaks; nil when it
	// does not.
	Wire *catalog.Wire
	// MaxOutput is the most the model writes; 0 when that is not known.
	MaxOutput int64
}

// Reply is what came back. Exactly one of Body and Events is set; Events may
// answer a plain request and Body a stream request, as upstreams do: the
// caller converts.
type Reply struct {
	// Status is the upstream's HTTP status.
	Status int
	// Body is a whole answer in our clients' format, not yet normalised.
	Body []byte
	// Events is a stream of chunks. The caller closes it.
	Events Events
	// UpstreamID is the upstream's own id of the call.
	UpstreamID string
	// Dropped names the fields of the request that this upstream was not given,
	// because it does not know them and the answer does not depend on them.
	Dropped []string
	// Calls is how many calls of the upstream it took: more than one where a
	// credential was refused and another one served. 0 counts as one.
	Calls int
	// Failed, if it is set, is told of the error that the answer turns out to
	// be under a good status: it may be about the credential.
	Failed func(err error)
}

// Events is a stream of chunks in our clients' format, not yet normalised.
type Events interface {
	// Next returns the payload of the next event, valid until the next call.
	// It returns io.EOF after the stream's proper end, and only then.
	Next() ([]byte, error)
	// Close ends the call upstream. It does not wait for it. It may be called
	// at any time, from any goroutine, more than once.
	Close() error
}

// Chatter serves chat completions. Errors are *apperr.Error with a PROVIDER_
// or other client-facing code, and, where the upstream answered, the details
// that openai.UpstreamError gives. No text of an upstream that a client may
// see has the adapter's credential in it, unless that is as short as a word.
// ctx bounds the whole attempt, reading Events included.
type Chatter interface {
	Chat(ctx context.Context, call Call) (*Reply, error)
}

// Embedder serves embeddings. Not every provider does.
type Embedder interface {
	Embed(ctx context.Context, call Call) (*Reply, error)
}
