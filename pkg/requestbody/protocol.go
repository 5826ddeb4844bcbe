package requestbody

import "github.com/signalbox/signalbox/pkg/catalog"

// Protocol is the wire format in which a client sends a request.
type Protocol = catalog.Protocol

// These are the protocols. Embeddings have the protocol of the chats of the same vendor.
const (
	ChatCompletions = catalog.ProtocolChat
	Messages        = catalog.ProtocolMessages
	Responses       = catalog.ProtocolResponses
	Gemini          = catalog.ProtocolGemini
)
