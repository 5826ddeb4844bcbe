package clients

import (
	"fmt"

	"github.com/signalbox/signalbox/pkg/scripted"
)

const (
	usage        = `{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}`
	helloMessage = `{"role":"assistant","content":"Hello from upstream"}`
)

// plainResponse returns a valid response with this message.
func plainResponse(message, finish string) scripted.Response {
	return scripted.JSON(200, fmt.Sprintf(`{"id":"up-1","object":"chat.completion","created":1760000000,"model":"local-s",`+
		`"choices":[{"index":0,"message":%s,"finish_reason":%q}],"usage":%s}`, message, finish, usage))
}

// chunk returns an event of a valid stream.
func chunk(delta, finish string) string {
	reason := "null"
	if finish != "" {
		reason = `"` + finish + `"`
	}
	return fmt.Sprintf(`{"id":"up-1","object":"chat.completion.chunk","created":1760000000,"model":"local-s",`+
		`"choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`, delta, reason)
}

func events(payloads ...string) scripted.Response { return scripted.Events(payloads...) }

// stream returns a stream of text.
func stream(deltas ...string) scripted.Response { return streamTo("stop", deltas) }

// toolStream returns a stream of tool calls.
func toolStream(deltas ...string) scripted.Response { return streamTo("tool_calls", deltas) }

func streamTo(finish string, deltas []string) scripted.Response {
	var all []string
	for _, d := range deltas {
		all = append(all, chunk(d, ""))
	}
	return events(append(all, chunk(`{}`, finish), `{"choices":[],"usage":`+usage+`}`, "[DONE]")...)
}

// errorResponse returns an error response in OpenAI's format. It asks clients to retry soon,
// so that the tests do not wait.
func errorResponse(status int, message, code string) scripted.Response {
	return scripted.JSON(status, fmt.Sprintf(`{"error":{"message":%q,"type":"some_error","param":null,"code":%q}}`, message, code)).
		WithHeader("Retry-After-Ms", "20")
}
