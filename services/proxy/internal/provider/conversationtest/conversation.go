package conversationtest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// conversation is a client request and the messages of its later turns.
type conversation struct {
	name, body string
	then       []string
}

// isEmbedding reports whether the conversation is an embeddings request.
func (c conversation) isEmbedding() bool { return members(c.body)["input"] != nil }

// isStreamOnly reports whether the conversation tests stream failures. Without streaming,
// such a conversation has another result.
func (c conversation) isStreamOnly() bool { return strings.HasPrefix(c.name, "stream-") }

// hasDirective reports whether the conversation contains a directive for the emulated
// vendor. A directive is written as [[emulate:name]].
func (c conversation) hasDirective(directive string) bool {
	_, list, found := strings.Cut(c.body, "[[emulate:")
	list, _, _ = strings.Cut(list, "]]")
	for item := range strings.SplitSeq(list, ";") {
		name, _, _ := strings.Cut(item, "=")
		if found && name == directive {
			return true
		}
	}
	return false
}

// members returns the members of an object as raw JSON.
func members(object string) map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	for name, v := range jsonscan.Members([]byte(object)) {
		m[string(name)] = json.RawMessage(v)
	}
	return m
}

// withStream returns the request body, with the stream members if stream is set.
func withStream(body string, stream bool) string {
	if !stream {
		return body
	}
	return `{"stream": true, "stream_options": {"include_usage": true}, ` + strings.TrimLeft(body[1:], " \n")
}

// nextRequest returns the body of the next request. The body contains the conversation so
// far, the response as the client got it, and the messages in then.
func (x *exchange) nextRequest(t *testing.T, body, then string) string {
	t.Helper()
	var a completion
	require.NoError(t, json.Unmarshal(x.response, &a))
	message := string(a.Choices[0].Message)
	for i, c := range a.firstMessage(t).ToolCalls {
		then = strings.ReplaceAll(then, "$"+string(rune('1'+i)), c.ID)
	}
	before := string(members(body)["messages"])
	more := strings.TrimSpace(before[:len(before)-1]) + ",\n" + message + "," + strings.TrimSpace(then)[1:]
	return strings.Replace(body, before, more, 1)
}
