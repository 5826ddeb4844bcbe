// Package openai implements the OpenAI wire format, which our clients speak.
//
// ParseChat and ParseEmbeddings read a request body once and extract what
// routing, limits and accounting need. BuildOutbound and BuildOutboundFor turn
// the body into an upstream's body: byte for byte the same, except for the few
// values that must change. ParseChatResponse, ParseEmbeddingsResponse and Stream
// normalize what upstreams return, which deviates in many ways, so that every
// client understands it. ParseUpstreamError maps upstream errors to our codes.
//
// The package does no HTTP and knows no provider. Package dispatch, the HTTP API
// and the provider adapters use it.
package openai

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
)

// Request holds what the proxy needs to know about a client's body.
type Request struct {
	Kind catalog.Kind
	// Body is the client's JSON. It must not be modified.
	Body []byte
	// Model is the model or route the client named.
	Model string
	// Stream comes from the body. Clients often send a wrong Accept header.
	Stream bool
	// IncludeUsage is set if the client wants usage in the stream.
	IncludeUsage bool
	// RequiredCapabilities lists what a model must support to serve the request.
	RequiredCapabilities []catalog.Capability
	// InputTokens is our estimate of the input size.
	InputTokens int64
	// MaxOutputTokens is the client's limit, or 0 if it set none.
	MaxOutputTokens int64
	// Choices is how many completions the client wants, at least 1.
	Choices int
	// Features are structural measures of the request, by name.
	Features decide.NamedValues
	// Metadata holds the client's metadata: at most 16 string pairs, further
	// pairs are ignored. It is nil if there are none.
	Metadata map[string]string
	// WantsBase64 is set if an embeddings client wants base64 instead of floats.
	WantsBase64 bool
	// InputCount is the number of embeddings requested. Dimensions is their
	// width, or 0 for the model's default.
	InputCount, Dimensions int

	// edits locates the values in Body that BuildOutbound may change.
	edits bodyEdits
	// members locates the top-level members. Its initial storage is
	// memberStorage. traits describes the messages.
	members       []memberSpan
	memberStorage [inlineMembers]memberSpan
	traits        messageTraits
}

// Response is an upstream's response, normalized for clients.
type Response struct {
	Body []byte
	// Usage is what the upstream reported, or nil.
	Usage *catalog.Usage
	// OutputUnknown is set if the upstream reported only input tokens.
	OutputUnknown bool
	// UsageDiscrepancy is the upstream's own total minus the total of Usage, in
	// tokens. It is 0 if the upstream reports no total.
	UsageDiscrepancy int64
	// ReportedNanoUSD is the cost that the upstream reports, or nil.
	ReportedNanoUSD *int64
	// OutputTextBytes is the approximate length of the model's output, for
	// estimates.
	OutputTextBytes int
}
