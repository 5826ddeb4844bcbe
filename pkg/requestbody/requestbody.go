// Package requestbody parses the bodies of requests. It knows the protocols of our clients:
// chat completions and embeddings, Anthropic's Messages (files anthropic_*.go), OpenAI's
// Responses (responses_*.go) and Google's generateContent (gemini_*.go).
//
// Each parser reads a body once. The Request that it returns holds the
// values that routing, limits and accounting need: the requested model, the required
// capabilities, features, and an estimate of the input tokens. It also locates the
// top-level members, so that package outbound can edit the body without parsing it again.
// An invalid body fails with INVALID_JSON or INVALID_REQUEST.
//
// The proxy parses the requests of clients, and the router parses the bodies in the tests
// of a policy. So both interpret a body in the same way.
package requestbody

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
)

// Request holds the values that the proxy extracts from a client's body.
type Request struct {
	Kind     catalog.Kind
	Protocol Protocol
	// NativeOnly names the parts that only upstreams of the same protocol can serve, such as
	// "signature" for signed thinking in the history. It is empty if any protocol can
	// carry the request.
	NativeOnly []string
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
	// IsBatch is set for batchEmbedContents, whose inputs are in the member "requests".
	IsBatch bool

	// Traits describes the messages of a chat.
	Traits MessageTraits
	// HasHistory is set if the conversation contains an earlier turn: a message of the model, a
	// tool result, or a reference to a stored response.
	HasHistory bool
	// EndsWithToolResult is set if the conversation ends with the result of a tool. System
	// messages after it do not count.
	EndsWithToolResult bool
	// MarksCache is set if the client marks the parts that the provider should cache.
	MarksCache bool

	// Store is set if a client of the Responses protocol wants the response to be stored,
	// which is the default. PreviousResponseID is the stored response that the request
	// continues, or empty.
	Store              bool
	PreviousResponseID string
	// HasGatewayState is set if the history contains reasoning that the gateway handed out
	// for an upstream of another protocol. Vendors of the client's protocol reject it.
	HasGatewayState bool
	// CallsLackThinking is set if the last message of the model in a Messages request has tool
	// calls, but does not start with thinking, because another vendor wrote it.
	CallsLackThinking bool
	// hasEncryptedHistory is set if a part of the history other than reasoning is encrypted.
	hasEncryptedHistory bool

	// lastUserContent is the content of the last user message. opening is the span from
	// the first message to the end of the first user content.
	lastUserContent, opening span
	// members locates the top-level members of Body. Up to inlineMembers of them are
	// stored in memberStorage.
	members       []Member
	memberStorage [inlineMembers]Member
}
