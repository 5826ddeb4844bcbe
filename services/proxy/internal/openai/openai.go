// Package openai implements the OpenAI wire format, which our clients use.
//
// ParseChat and ParseEmbeddings read a request body once and extract the values
// that routing, limits and accounting need. BuildOutbound and BuildOutboundFor
// build the body for an upstream. This body is the client's body, byte for byte,
// except for the few values that must change. ParseChatResponse,
// ParseEmbeddingsResponse and Stream normalize the responses of upstreams. Many
// upstreams deviate from the format, and clients would not understand their
// responses. ParseUpstreamError maps upstream errors to our error codes.
//
// The package makes no HTTP calls and contains no code that is specific to one provider.
// Package dispatch, the HTTP API and the provider adapters use it.
package openai

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
)

// Request holds the values that the proxy extracts from a client's body.
type Request struct {
	Kind catalog.Kind
	// Body is the client's JSON. It must not be modified.
	Body []byte
	// Model is the name of the model or route that the client requested.
	Model string
	// Stream is read from the body, because clients often send a wrong Accept header.
	Stream bool
	// IncludeUsage is set if the client requests usage in the stream.
	IncludeUsage bool
	// RequiredCapabilities lists the capabilities that a model needs to serve the request.
	RequiredCapabilities []catalog.Capability
	// InputTokens is our estimate of the input size.
	InputTokens int64
	// MaxOutputTokens is the client's limit, or 0 if the client set none.
	MaxOutputTokens int64
	// Choices is how many completions the client requests, at least 1.
	Choices int
	// Features are structural measures of the request, by name.
	Features decide.NamedValues
	// Metadata holds at most 16 string pairs of the client's metadata. Further pairs
	// are ignored. The map is nil if there are no pairs.
	Metadata map[string]string
	// WantsBase64 is set if an embeddings client requests base64 instead of floats.
	WantsBase64 bool
	// InputCount is the number of requested embeddings. Dimensions is the requested
	// length of each vector, or 0 for the model's default.
	InputCount, Dimensions int

	// Traits describes the messages of a chat.
	Traits MessageTraits

	// lastUserContent is the content of the last user message. opening is the span from
	// the first message to the end of the first user content.
	lastUserContent, opening span
	// members locates the top-level members of Body. Up to inlineMembers of them are
	// stored in memberStorage.
	members       []Member
	memberStorage [inlineMembers]Member
}

// Response is an upstream's response, normalized for clients.
type Response struct {
	Body []byte
	// Usage is the usage that the upstream reported, or nil.
	Usage *catalog.Usage
	// OutputUnknown is set if the upstream reported only input tokens.
	OutputUnknown bool
	// UsageDiscrepancy is the total that the upstream reported minus the total of
	// Usage, in tokens. It is 0 if the upstream reported no total.
	UsageDiscrepancy int64
	// ReportedNanoUSD is the cost that the upstream reports, or nil.
	ReportedNanoUSD *int64
	// OutputTextBytes is the approximate length of the model's output, for
	// estimates.
	OutputTextBytes int
}
