package main

import (
	"strings"
	"time"
)

// load is one way of using a gateway.
type load struct {
	name string
	// clients is how many ask again as soon as they are answered.
	clients int
	// rate is how many requests a second are begun, whatever becomes of them.
	// Either this or clients is set.
	rate int
	// bytes is how long a request is.
	bytes  int
	stream bool
	// paced streams come with a pause between the chunks.
	paced bool
	// vector asks for an embedding.
	vector bool
	// share is how long it lasts, as a part of what the others do.
	share float64
}

const (
	chatBytes = 2 << 10
	bigBytes  = 200 << 10
	warmFor   = 200 * time.Millisecond
)

// The loads, as they are chosen and shown.
const (
	loadSteady = "steady"
	loadPaced  = "paced"
	loadChat   = "chat"
	loadStream = "stream"
	loadVector = "embedding"
	loadBig    = "big"
)

var warmUp = load{name: "warm-up", clients: 8, bytes: chatBytes}

// allLoads are in the order in which they are put on a peer: a process that has
// just been saturated is not what answers a quiet hour's requests.
func allLoads() []load {
	return []load{
		{name: loadSteady, rate: 200, bytes: chatBytes, share: 2},
		{name: loadPaced, rate: 20, bytes: chatBytes, stream: true, paced: true, share: 1.25},
		{name: loadChat, clients: 32, bytes: chatBytes, share: 1},
		{name: loadStream, clients: 16, bytes: chatBytes, stream: true, share: 1},
		{name: loadVector, clients: 16, bytes: chatBytes, vector: true, share: 0.75},
		{name: loadBig, clients: 8, bytes: bigBytes, share: 1},
	}
}

func (b *bench) lasts(l load) time.Duration {
	return time.Duration(float64(b.each) * l.share)
}

func (l load) endpoint() string {
	if l.vector {
		return "/embeddings"
	}
	return "/chat/completions"
}

// body is a request of the load's length for the model.
func (l load) body(model string) string {
	head := `{"model":"` + model + `",`
	if l.vector {
		head += `"input":"`
		const tail = `"}`
		return head + prose(l.bytes-len(head)-len(tail)) + tail
	}
	if l.stream {
		head += `"stream":true,"stream_options":{"include_usage":true},`
	}
	if l.paced {
		head += pacedMark + ","
	}
	head += `"messages":[{"role":"system","content":"You are a careful assistant."},{"role":"user","content":"`
	const tail = `"}],"temperature":0.7,"max_tokens":256}`
	return head + prose(l.bytes-len(head)-len(tail)) + tail
}

// prose is text of n bytes that is no run of one letter.
func prose(n int) string {
	const text = "The signaller sets the points, clears the signal and writes the train into the book. "
	return strings.Repeat(text, n/len(text)+1)[:n]
}
