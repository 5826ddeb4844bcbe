package catalog

// Protocol is a wire format of chats. Clients use one, and upstreams serve one or more.
type Protocol string

// These are the protocols.
const (
	ProtocolChat      Protocol = "chat"
	ProtocolMessages  Protocol = "messages"
	ProtocolResponses Protocol = "responses"
	ProtocolGemini    Protocol = "gemini"
)
