package api_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// pairClient is a client of one protocol.
type pairClient struct {
	name, path, streamPath string
	// streamFields is added to the body of a streamed request.
	streamFields string
	// reply is the path of the model's turn in a response.
	reply []string
}

var pairClients = []pairClient{
	{"chat", "/proxy/v1/chat/completions", "", `"stream":true,"stream_options":{"include_usage":true},`, []string{"choices", "0", "message"}},
	{"messages", "/proxy/v1/messages", "", `"stream":true,`, []string{"content"}},
	{"responses", "/proxy/v1/responses", "", `"stream":true,`, []string{"output"}},
	{"gemini", "/proxy/v1beta/models/auto:generateContent", "/proxy/v1beta/models/auto:streamGenerateContent?alt=sse", "", []string{"candidates", "0", "content"}},
}

func (c *pairClient) request(body string, stream bool) (path, sent string) {
	if !stream {
		return c.path, body
	}
	if c.streamPath != "" {
		return c.streamPath, body
	}
	return c.path, "{" + c.streamFields + body[1:]
}

// upstreamBody is the body that an upstream of the same protocol must receive.
func (c *pairClient) upstreamBody(sent, model string) string {
	return strings.Replace(sent, `"model":"auto"`, `"model":"`+model+`"`, 1)
}

// fill inserts the model's turn of a response into the template of the next request. A client
// returns the turn as it received it. "$reply" stands for the turn, $1 and $2 for the ids of
// its tool calls.
func (c *pairClient) fill(t *testing.T, template, response string) string {
	t.Helper()
	turn := []byte(response)
	for _, name := range c.reply {
		turn = child(turn, name)
	}
	require.NotEmpty(t, turn, response)
	ids := callIDs(turn)
	if c.name == "responses" {
		turn = bytes.TrimSuffix(bytes.TrimPrefix(turn, []byte("[")), []byte("]"))
	}
	for i, id := range ids {
		template = strings.ReplaceAll(template, "$"+string(rune('1'+i)), id)
	}
	return strings.Replace(template, `"$reply"`, string(turn), 1)
}

func child(v []byte, name string) []byte {
	if name != "0" {
		return jsonscan.Member(v, name)
	}
	for first := range jsonscan.Elements(v) {
		return first
	}
	return nil
}

// callIDs returns the ids of the tool calls in a turn. Gemini's calls have none or one.
func callIDs(turn []byte) (ids []string) {
	var v any
	_ = json.Unmarshal(turn, &v)
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			if id, ok := idOfCall(v); ok {
				ids = append(ids, id)
			}
			for _, name := range []string{"content", "tool_calls", "parts", "functionCall"} {
				walk(v[name])
			}
		}
	}
	walk(v)
	return ids
}

func idOfCall(v map[string]any) (string, bool) {
	if id, ok := v["call_id"].(string); ok {
		return id, true
	}
	_, isGemini := v["args"]
	kind := v["type"]
	id, ok := v["id"].(string)
	return id, ok && (kind == "function" || kind == "tool_use" || isGemini)
}
