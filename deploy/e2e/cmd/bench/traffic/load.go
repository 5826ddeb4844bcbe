// Package traffic generates the requests of the benchmarks: named loads of chat completions,
// streams, embeddings and coding agents, with a fixed number of clients or a fixed rate. It
// measures how long each response takes. Its HTTP client is small, because it shares the cores
// with what is measured.
package traffic

import "github.com/signalbox/signalbox/deploy/e2e/cmd/bench/canned"

// Load is one traffic pattern.
type Load struct {
	Name string
	// Clients is the number of clients that send the next request after a response.
	Clients int
	// Rate is the number of requests per second that are started, independent of
	// the responses. Either Rate or Clients is set.
	Rate int
	// Bytes is the length of a request body.
	Bytes  int
	Stream bool
	// Paced streams pause between chunks.
	Paced bool
	// Vector requests an embedding.
	Vector bool
	// Base64 requests the embedding as a base64 string, as OpenAI's own client does.
	Base64 bool
	// Agent is the protocol of a coding agent's request; empty for other loads.
	Agent string
	// Share is the duration as a multiple of the -each flag.
	Share float64
}

// The lengths of request bodies: of a small one, and from where on they are called big.
const (
	ChatBytes = 2 << 10
	BigBytes  = 200 << 10
)

// The names of the loads.
const (
	LoadSteady = "steady"
	LoadPaced  = "paced"
	LoadChat   = "chat"
	LoadStream = "stream"
	LoadVector = "embedding"
	LoadBig    = "big"
	Load500KB  = "big-500KB"
	Load1MB    = "big-1MB"
	LoadBase64 = "embedding-base64"
	// LoadAgent is the start of the names of the agent loads. The protocol follows.
	LoadAgent = "agent-"
)

// WarmUp is the load before the first measurement.
var WarmUp = Load{Name: "warm-up", Clients: 8, Bytes: ChatBytes}

// Loads returns the loads in the order in which they run. Quiet loads run first,
// because a process that was just saturated behaves differently.
func Loads() []Load {
	return []Load{
		{Name: LoadSteady, Rate: 200, Bytes: ChatBytes, Share: 2},
		{Name: LoadPaced, Rate: 20, Bytes: ChatBytes, Stream: true, Paced: true, Share: 1.25},
		{Name: LoadChat, Clients: 32, Bytes: ChatBytes, Share: 1},
		{Name: LoadStream, Clients: 16, Bytes: ChatBytes, Stream: true, Share: 1},
		{Name: LoadVector, Clients: 16, Bytes: ChatBytes, Vector: true, Share: 0.75},
		{Name: LoadBase64, Clients: 16, Bytes: ChatBytes, Vector: true, Base64: true, Share: 0.75},
		{Name: LoadBig, Clients: 8, Bytes: BigBytes, Share: 1},
		{Name: Load500KB, Clients: 8, Bytes: 500 << 10, Share: 1},
		{Name: Load1MB, Clients: 8, Bytes: 1 << 20, Share: 1},
		{Name: LoadAgent + ProtocolChat, Clients: 8, Bytes: AgentBytes, Agent: ProtocolChat, Share: 1},
		{Name: LoadAgent + ProtocolMessages, Clients: 8, Bytes: AgentBytes, Agent: ProtocolMessages, Share: 1},
		{Name: LoadAgent + ProtocolResponses, Clients: 8, Bytes: AgentBytes, Agent: ProtocolResponses, Share: 1},
		{Name: LoadAgent + ProtocolGemini, Clients: 8, Bytes: AgentBytes, Agent: ProtocolGemini, Share: 1},
	}
}

// endpoint returns the path of the load's requests below the path of the API.
func (l Load) endpoint(base string) string {
	switch {
	case l.Agent != "":
		return agentEndpoint(base, l.Agent)
	case l.Vector:
		return base + "/embeddings"
	}
	return base + "/chat/completions"
}

// Body returns a request body of the load's length for the model.
func (l Load) Body(model string) string {
	if l.Agent != "" {
		return agentBody(l.Agent, l.Bytes)
	}
	head := `{"model":"` + model + `",`
	if l.Vector {
		if l.Base64 {
			head += canned.Base64Mark + ","
		}
		head += `"input":"`
		const tail = `"}`
		return head + canned.Prose(l.Bytes-len(head)-len(tail)) + tail
	}
	if l.Stream {
		head += `"stream":true,"stream_options":{"include_usage":true},`
	}
	if l.Paced {
		head += canned.PacedMark + ","
	}
	head += `"messages":[{"role":"system","content":"You are a careful assistant."},{"role":"user","content":"`
	const tail = `"}],"temperature":0.7,"max_tokens":256}`
	return head + canned.Prose(l.Bytes-len(head)-len(tail)) + tail
}
