package normalize_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
)

// members decodes an object so that two objects can be compared.
func members(t *testing.T, body []byte) map[string]json.RawMessage {
	t.Helper()
	var m map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(body, &m), "%s", body)
	return m
}

func FuzzChatResponse(f *testing.F) {
	for _, seed := range []string{
		`{"choices":[{"message":{"content":"a","tool_calls":[{"function":{"arguments":{"a":1}}}]},"x":1}],"usage":{"z":1},"y":2}`,
		"{\"choices\":[{\"message\":{},\"finish_reason\":\"\xff\"}]}", `{"error":"x"}`, `{"choices":[{"index":5,"message":{"function_call":{"name":"f"}}},{"message":{}}]}`,
		"data: " + deltaEvent(`{"content":"a"}`, `"stop"`) + "\n\n", `{"choices":[{"message":{"content":5,"refusal":[]},"logprobs":{}}],"usage":{"prompt_tokens":1}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := normalize.Chat(body, responseOptions)
		if err != nil {
			return
		}
		checkResponse(t, a.Body)
	})
}
