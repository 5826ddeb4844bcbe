// Package openai is the wire format of our clients. It reads a request once,
// taking out only what routing, limits and accounting need; the body itself is
// forwarded byte for byte but for the few values that must change. It brings
// answers and streams of upstreams, which deviate in many ways, into the one
// form that every client understands. It knows no HTTP and no provider.
package openai

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
)

// Request is what we need to know of a client's body.
type Request struct {
	Kind catalog.Kind
	// Body is the client's JSON. Nobody changes it.
	Body []byte
	// Model is the model or route the client named.
	Model string
	// Stream is what the body says; the Accept header is known to lie.
	Stream bool
	// IncludeUsage is whether the client asked to see usage in the stream.
	IncludeUsage bool
	// Needs are capabilities the request cannot do without.
	Needs []catalog.Capability
	// InputTokens is our estimate.
	InputTokens int64
	// MaxOutputTokens is the client's limit; 0 when it set none.
	MaxOutputTokens int64
	// Choices is how many answers the client wants, 1 or more.
	Choices int
	// Features are structural numbers about the request, by name.
	Features decide.Numbers
	// Metadata is what the client wrote about the request: at most 16 pairs of
	// texts, the others left out; nil when there is none.
	Metadata map[string]string
	// Base64 is whether an embeddings client wants base64 instead of floats.
	Base64 bool
	// Inputs is the number of embeddings asked for, and Dimensions their width;
	// 0 for the model's own.
	Inputs, Dimensions int

	// edits is where the values that Outbound may change stand in Body.
	edits edits
	// parts are the top-level members, room holds as many as are usual, and
	// shape is what the messages have.
	parts []part
	room  [commonParts]part
	shape shape
}

// Answer is an upstream's answer in the form that clients understand.
type Answer struct {
	Body []byte
	// Usage is what the upstream reported; nil when it reported none.
	Usage *catalog.Usage
	// OutputUnknown is set if it reported the input only.
	OutputUnknown bool
	// UsageDifference is by how many tokens the upstream's own total exceeds
	// Usage; 0 where it tells none.
	UsageDifference int64
	// ReportedNanoUSD is what the upstream says that the call costs; nil where
	// it does not.
	ReportedNanoUSD *int64
	// OutputText is about the length of all the model wrote, for estimates.
	OutputText int
}
