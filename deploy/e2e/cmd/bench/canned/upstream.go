// Package canned is a model provider with canned responses for benchmarks.
package canned

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"net"
	"strings"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/httpwire"
)

const (
	answerBytes = 1100
	chunkBytes  = 237
	// ChunkCount is the number of events of a stream.
	ChunkCount = 50
	// ChunkPause is the time between the events of a paced stream.
	ChunkPause = 5 * time.Millisecond
	// Dimensions is the length of an embedding.
	Dimensions = 1536
	// fieldsWithin is how many bytes of a request are searched for options. The options
	// come before the text.
	fieldsWithin = 256
	// PacedMark makes the upstream pause between chunks. It is a standard field, so
	// every gateway forwards it.
	PacedMark = `"user":"paced"`
	// FailMark makes the upstream respond with status 503.
	FailMark = `"user":"fail"`
	// Base64Mark requests an embedding as a base64 string.
	Base64Mark = `"encoding_format":"base64"`
	usage      = `"usage":{"prompt_tokens":480,"completion_tokens":50,"total_tokens":530}`
)

// Serve serves canned responses of a model provider. It implements HTTP by
// hand to use as little CPU as possible.
func Serve(_ context.Context, lis net.Listener) error {
	u := &upstream{answer: newAnswer(), vector: Vector(), base64: base64Vector(), chunks: newChunks(), agent: newAgentAnswers()}
	u.stream = []byte(streamHead + strings.Join(u.chunks, "") + lastChunk)
	for {
		conn, err := lis.Accept()
		if err != nil {
			return err
		}
		go u.serve(conn)
	}
}

type upstream struct {
	answer, vector, base64, stream []byte
	chunks                         []string
	// agent holds the responses of the protocols other than chat, by a text at the start of
	// their requests.
	agent map[string][]byte
}

const (
	streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
	lastChunk  = "0\r\n\r\n"
)

func (u *upstream) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	w := httpwire.NewReader(conn)
	for {
		if _, err := w.ReadMessage(); err != nil {
			return
		}
		if u.respond(conn, w.Body) != nil {
			return
		}
	}
}

func (u *upstream) respond(conn net.Conn, request []byte) error {
	var response []byte
	switch start := request[:min(len(request), fieldsWithin)]; {
	case bytes.Contains(start, []byte(FailMark)):
		response = []byte("HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
	case bytes.Contains(start, []byte(Base64Mark)):
		response = u.base64
	case bytes.Contains(start, []byte(`"input":`)):
		response = u.vector
	case bytes.Contains(start, []byte(`"stream":true`)):
		if bytes.Contains(start, []byte(PacedMark)) {
			return u.writePaced(conn)
		}
		response = u.stream
	default:
		response = u.agentAnswer(start)
	}
	_, err := conn.Write(response)
	return err
}

// agentAnswer returns the response in the protocol of the request.
func (u *upstream) agentAnswer(start []byte) []byte {
	for mark, response := range u.agent {
		if bytes.Contains(start, []byte(mark)) {
			return response
		}
	}
	return u.answer
}

func (u *upstream) writePaced(conn net.Conn) error {
	tick := time.NewTicker(ChunkPause)
	defer tick.Stop()
	next := streamHead
	for _, chunk := range u.chunks {
		if _, err := conn.Write([]byte(next + chunk)); err != nil {
			return err
		}
		next = ""
		<-tick.C
	}
	_, err := conn.Write([]byte(lastChunk))
	return err
}

func newAnswer() []byte {
	head := `{"id":"chatcmpl-bench","object":"chat.completion","created":1760000000,"model":"mock-s","choices":[{"index":0,"message":{"role":"assistant","content":"`
	tail := `"},"finish_reason":"stop"}],` + usage + `}`
	return encodeResponse(head + Prose(answerBytes-len(head)-len(tail)) + tail)
}

func newAgentAnswers() map[string][]byte {
	answers := map[string][]byte{}
	for mark, parts := range map[string][2]string{
		`"metadata":{"user_id"`: {
			`{"id":"msg_bench","type":"message","role":"assistant","model":"mock-s","content":[{"type":"text","text":"`,
			`"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":480,"output_tokens":50}}`,
		},
		`"store":false`: {
			`{"id":"resp_bench","object":"response","created_at":1760000000,"model":"mock-s","status":"completed","error":null,"output":[{"type":"message","id":"m","role":"assistant","status":"completed","content":[{"type":"output_text","annotations":[],"text":"`,
			`"}]}],"usage":{"input_tokens":480,"output_tokens":50,"total_tokens":530}}`,
		},
		`"generationConfig"`: {
			`{"modelVersion":"mock-s","responseId":"bench","candidates":[{"index":0,"finishReason":"STOP","content":{"role":"model","parts":[{"text":"`,
			`"}]}}],"usageMetadata":{"promptTokenCount":480,"candidatesTokenCount":50,"totalTokenCount":530}}`,
		},
	} {
		answers[mark] = encodeResponse(parts[0] + Prose(answerBytes-len(parts[0])-len(parts[1])) + parts[1])
	}
	return answers
}

func encodeResponse(body string) []byte {
	return fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// Vector returns an embeddings response of about 30 KB: providers send full-precision numbers.
func Vector() []byte {
	numbers := make([]string, Dimensions)
	for i := range numbers {
		numbers[i] = fmt.Sprintf("%.16f", element(i))
	}
	return encodeResponse(`{"object":"list","data":[{"object":"embedding","index":0,"embedding":[` + strings.Join(numbers, ",") +
		`]}],"model":"mock-e","usage":{"prompt_tokens":480,"total_tokens":480}}`)
}

// base64Vector returns the same embedding as a base64 string of 32-bit floats, about 8 KB.
func base64Vector() []byte {
	var raw []byte
	for i := range Dimensions {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(element(i))))
	}
	return encodeResponse(`{"object":"list","data":[{"object":"embedding","index":0,"embedding":"` + base64.StdEncoding.EncodeToString(raw) +
		`"}],"model":"mock-e","usage":{"prompt_tokens":480,"total_tokens":480}}`)
}

// element returns an element of the embedding.
func element(i int) float64 { return math.Sin(float64(i+1)) / 40 }

// newChunks returns the events of a stream, each as one chunk of the transfer
// encoding: content, the finish reason, the usage and [DONE]. They are in the standard
// format, so that no gateway has to change them.
func newChunks() []string {
	const head = `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1760000000,"model":"mock-s","choices":[`
	content := func(role, finish string) string {
		begin, end := head+`{"index":0,"delta":{`+role+`"content":"`, `"},"finish_reason":`+finish+"}]}\n\n"
		return encodeChunk(begin + Prose(chunkBytes-len(begin)-len(end)) + end)
	}
	chunks := []string{content(`"role":"assistant",`, "null")}
	for range ChunkCount - 3 {
		chunks = append(chunks, content("", "null"))
	}
	return append(chunks, content("", `"stop"`), encodeChunk(head+"],"+usage+"}\n\n"), encodeChunk("data: [DONE]\n\n"))
}

func encodeChunk(event string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(event), event) }

// Prose returns n bytes of text.
func Prose(n int) string {
	const text = "The signaller sets the points, clears the signal and writes the train into the book. "
	return strings.Repeat(text, n/len(text)+1)[:n]
}
