package clients

import (
	"fmt"

	"github.com/signalbox/signalbox/pkg/scripted"
)

const (
	usage        = `{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}`
	helloMessage = `{"role":"assistant","content":"Hello from upstream"}`
)

// plain is a good answer with this message.
func plain(message, finish string) scripted.Answer {
	return scripted.JSON(200, fmt.Sprintf(`{"id":"up-1","object":"chat.completion","created":1760000000,"model":"local-s",`+
		`"choices":[{"index":0,"message":%s,"finish_reason":%q}],"usage":%s}`, message, finish, usage))
}

// chunk is an event of a good stream.
func chunk(delta, finish string) string {
	reason := "null"
	if finish != "" {
		reason = `"` + finish + `"`
	}
	return fmt.Sprintf(`{"id":"up-1","object":"chat.completion.chunk","created":1760000000,"model":"local-s",`+
		`"choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`, delta, reason)
}

func events(payloads ...string) scripted.Answer { return scripted.Events(payloads...) }

// stream is a stream of text.
func stream(deltas ...string) scripted.Answer { return streamTo("stop", deltas) }

// toolStream is a stream of tool calls.
func toolStream(deltas ...string) scripted.Answer { return streamTo("tool_calls", deltas) }

func streamTo(finish string, deltas []string) scripted.Answer {
	var all []string
	for _, d := range deltas {
		all = append(all, chunk(d, ""))
	}
	return events(append(all, chunk(`{}`, finish), `{"choices":[],"usage":`+usage+`}`, "[DONE]")...)
}

// refusal is an answer with a status, in the vendor's shape. Clients are asked
// to come back soon, so that nobody waits.
func refusal(status int, message, code string) scripted.Answer {
	return scripted.JSON(status, fmt.Sprintf(`{"error":{"message":%q,"type":"some_error","param":null,"code":%q}}`, message, code)).
		With("Retry-After-Ms", "20")
}
