package shadow

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestServedResponsesOfEveryProtocol(t *testing.T) {
	const call = "\n[calls the tool f with {\"a\":1}]"
	for name, tt := range map[string]struct {
		body, want  string
		isTruncated bool
	}{
		"chat": {`{"choices":[{"message":{"content":"hi","tool_calls":[{"function":{"name":"f","arguments":"{\"a\":1}"}}]},"finish_reason":"length"}]}`, "hi" + call, true},
		"messages": {`{"type":"message","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"hi"},{"type":"tool_use","name":"f","input":{"a":1}}],"stop_reason":"max_tokens"}`,
			"hi" + call, true},
		"responses": {`{"output":[{"type":"reasoning","content":[{"type":"reasoning_text","text":"hm"}]},{"type":"message","content":[{"type":"output_text","text":"hi"}]},
			{"type":"function_call","name":"f","arguments":"{\"a\":1}"}],"incomplete_details":null}`, "hi" + call, false},
		"gemini": {`{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"hi"},{"functionCall":{"name":"f","args":{"a":1}}}]},"finishReason":"MAX_TOKENS"}]}`,
			"hi" + call, true},
	} {
		got, ok := parseServed([]byte(tt.body))
		require.True(t, ok, name)
		require.Equal(t, completion{tt.want, tt.isTruncated}, got, name)
	}
	for _, body := range []string{`{}`, `{"error":"x"}`, `[]`, ``} {
		_, ok := parseServed([]byte(body))
		require.False(t, ok, body)
	}
}
