package scriptedtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// OpenAI responds in the OpenAI format. The text is always "Hello there.". Embedding calls get one
// vector per input.
func OpenAI(r Received) scripted.Response {
	var body struct {
		Stream bool            `json:"stream"`
		Input  json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return scripted.JSON(400, `{"error":{"message":"not JSON"}}`)
	}
	a := scripted.JSON(200, openaiPlain)
	switch {
	case strings.HasSuffix(r.Path, "/embeddings"):
		a = scripted.JSON(200, openaiEmbeddings(body.Input))
	case body.Stream:
		a = scripted.Events(append(slices.Clone(openaiChunks), "[DONE]")...)
	}
	return a.WithHeader("X-Request-Id", "upstream-1")
}

const openaiPlain = `{"id":"chatcmpl-1","object":"chat.completion","created":1760000000,"model":"m",` +
	`"choices":[{"index":0,"message":{"role":"assistant","content":"Hello there."},"finish_reason":"stop"}],` +
	`"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}`

const openaiHead = `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1760000000,"model":"m",`

var openaiChunks = []string{
	openaiHead + `"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`,
	openaiHead + `"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}`,
	openaiHead + `"choices":[{"index":0,"delta":{"content":" there."},"finish_reason":null}]}`,
	openaiHead + `"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
	openaiHead + `"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}`,
}

func openaiEmbeddings(input json.RawMessage) string {
	n := 1
	var list []json.RawMessage
	if json.Unmarshal(input, &list) == nil && len(list) > 0 && strings.ContainsAny(string(list[0][:1]), `["`) {
		n = len(list)
	}
	data := make([]string, n)
	for i := range data {
		data[i] = fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[0.6,0.8]}`, i)
	}
	return `{"object":"list","model":"m","data":[` + strings.Join(data, ",") +
		`],"usage":{"prompt_tokens":2,"total_tokens":2}}`
}
