package requestbody

// Protocol is the wire format in which a client sends a request.
type Protocol string

// These are the protocols. Embeddings have the protocol of the chats of the same vendor.
const (
	ChatCompletions Protocol = "chat"
	Messages        Protocol = "messages"
	Responses       Protocol = "responses"
	Gemini          Protocol = "gemini"
)
