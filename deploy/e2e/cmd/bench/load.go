package main

import (
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/canned"
)

// load is one traffic pattern.
type load struct {
	name string
	// clients is the number of clients that send the next request after a response.
	clients int
	// rate is the number of requests per second that are started, independent of
	// the responses. Either rate or clients is set.
	rate int
	// bytes is the length of a request body.
	bytes  int
	stream bool
	// paced streams pause between chunks.
	paced bool
	// vector requests an embedding.
	vector bool
	// base64 requests the embedding as a base64 string, as OpenAI's own client does.
	base64 bool
	// agent is the protocol of a coding agent's request; empty for other loads.
	agent string
	// share is the duration as a multiple of the -each flag.
	share float64
}

const (
	chatBytes = 2 << 10
	bigBytes  = 200 << 10
	warmFor   = 200 * time.Millisecond
)

// The names of the loads.
const (
	loadSteady = "steady"
	loadPaced  = "paced"
	loadChat   = "chat"
	loadStream = "stream"
	loadVector = "embedding"
	loadBig    = "big"
	load500KB  = "big-500KB"
	load1MB    = "big-1MB"
	loadBase64 = "embedding-base64"
	// loadAgent is the start of the names of the agent loads. The protocol follows.
	loadAgent = "agent-"
)

var warmUp = load{name: "warm-up", clients: 8, bytes: chatBytes}

// allLoads returns the loads in the order in which they run. Quiet loads run first,
// because a process that was just saturated behaves differently.
func allLoads() []load {
	return []load{
		{name: loadSteady, rate: 200, bytes: chatBytes, share: 2},
		{name: loadPaced, rate: 20, bytes: chatBytes, stream: true, paced: true, share: 1.25},
		{name: loadChat, clients: 32, bytes: chatBytes, share: 1},
		{name: loadStream, clients: 16, bytes: chatBytes, stream: true, share: 1},
		{name: loadVector, clients: 16, bytes: chatBytes, vector: true, share: 0.75},
		{name: loadBase64, clients: 16, bytes: chatBytes, vector: true, base64: true, share: 0.75},
		{name: loadBig, clients: 8, bytes: bigBytes, share: 1},
		{name: load500KB, clients: 8, bytes: 500 << 10, share: 1},
		{name: load1MB, clients: 8, bytes: 1 << 20, share: 1},
		{name: loadAgent + protocolChat, clients: 8, bytes: agentBytes, agent: protocolChat, share: 1},
		{name: loadAgent + protocolMessages, clients: 8, bytes: agentBytes, agent: protocolMessages, share: 1},
		{name: loadAgent + protocolResponses, clients: 8, bytes: agentBytes, agent: protocolResponses, share: 1},
		{name: loadAgent + protocolGemini, clients: 8, bytes: agentBytes, agent: protocolGemini, share: 1},
	}
}

// runsOn reports whether the load is measured on a peer. Requests of agents name a model, so
// the peers that measure routes would measure the same again. What capture costs shows with long
// bodies.
func (l load) runsOn(p peer) bool {
	switch {
	case l.agent != "":
		return p.name == nameForward || p.name == nameNginx || p.name == nameExplicit
	case p.name == nameNone:
		return l.bytes >= bigBytes
	}
	return true
}

func (b *bench) durationOf(l load) time.Duration {
	return time.Duration(float64(b.each) * l.share)
}

// endpoint returns the path of the load's requests below the path of the API.
func (l load) endpoint(base string) string {
	switch {
	case l.agent != "":
		return agentEndpoint(base, l.agent)
	case l.vector:
		return base + "/embeddings"
	}
	return base + "/chat/completions"
}

// body returns a request body of the load's length for the model.
func (l load) body(model string) string {
	if l.agent != "" {
		return agentBody(l.agent, l.bytes)
	}
	head := `{"model":"` + model + `",`
	if l.vector {
		if l.base64 {
			head += canned.Base64Mark + ","
		}
		head += `"input":"`
		const tail = `"}`
		return head + canned.Prose(l.bytes-len(head)-len(tail)) + tail
	}
	if l.stream {
		head += `"stream":true,"stream_options":{"include_usage":true},`
	}
	if l.paced {
		head += canned.PacedMark + ","
	}
	head += `"messages":[{"role":"system","content":"You are a careful assistant."},{"role":"user","content":"`
	const tail = `"}],"temperature":0.7,"max_tokens":256}`
	return head + canned.Prose(l.bytes-len(head)-len(tail)) + tail
}
