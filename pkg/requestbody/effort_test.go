package requestbody_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/requestbody"
)

func parseStreamedGemini(body []byte) (*requestbody.Request, error) {
	return requestbody.ParseGenerateContent(body, "m", true)
}

const (
	chatBody      = `"model":"m","messages":[{"role":"user","content":"hi"}]`
	messagesBody  = `"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]`
	responsesBody = `"model":"m","input":"hi"`
	geminiBody    = `"contents":[{"role":"user","parts":[{"text":"hi"}]}]`
)

// A candidate's effort is written where the protocol has it. Everything else stays, and an
// effort of the client is recognised.
func TestEfforts(t *testing.T) {
	for _, tt := range []struct {
		name   string
		parse  func([]byte) (*requestbody.Request, error)
		body   string
		more   string
		own    bool
		effort string
		want   string
	}{
		{"chat", requestbody.ParseChat, chatBody, ``, false, "low", `"reasoning_effort":"low"`},
		{"chat with null", requestbody.ParseChat, chatBody, `,"reasoning_effort":null`, false, "low", `"reasoning_effort":"low"`},
		{"chat with an effort", requestbody.ParseChat, chatBody, `,"reasoning_effort":"high"`, true, "", ``},
		{"chat with an object", requestbody.ParseChat, chatBody, `,"reasoning":{"effort":"high"}`, true, "", ``},
		{"chat with an object for other things", requestbody.ParseChat, chatBody, `,"reasoning":{"exclude":true}`, false, "low", `"reasoning":{"exclude":true},"reasoning_effort":"low"`},
		{"chat with thinking", requestbody.ParseChat, chatBody, `,"thinking":{"type":"disabled"}`, true, "", ``},
		{"responses", requestbody.ParseResponses, responsesBody, ``, false, "high", `"reasoning":{"effort":"high"}`},
		{"responses with a summary", requestbody.ParseResponses, responsesBody, `,"reasoning":{"summary":"auto"}`, false, "high", `"reasoning":{"summary":"auto","effort":"high"}`},
		{"responses with an empty object", requestbody.ParseResponses, responsesBody, `,"reasoning": { } `, false, "high", `"reasoning":{"effort":"high"}`},
		{"responses with an effort", requestbody.ParseResponses, responsesBody, `,"reasoning":{"effort":"low"}`, true, "", ``},
		{"messages", requestbody.ParseMessages, messagesBody, ``, false, "max", `"output_config":{"effort":"max"}`},
		{"messages with a format", requestbody.ParseMessages, messagesBody, `,"output_config":{"format":{"type":"json_schema","schema":{}}}`, false, "minimal", `"output_config":{"format":{"type":"json_schema","schema":{}},"effort":"low"}`},
		{"messages without thinking", requestbody.ParseMessages, messagesBody, ``, false, "none", `"thinking":{"type":"disabled"}`},
		{"messages with thinking", requestbody.ParseMessages, messagesBody, `,"thinking":{"type":"adaptive"}`, true, "", ``},
		{"messages with an effort", requestbody.ParseMessages, messagesBody, `,"output_config":{"effort":"low"}`, true, "", ``},
		{"gemini", parseStreamedGemini, geminiBody, ``, false, "xhigh", `"generationConfig":{"thinkingConfig":{"thinkingLevel":"HIGH"}}`},
		{"gemini with a config", parseStreamedGemini, geminiBody, `,"generation_config":{"topK":3,"thinking_config":{"includeThoughts":true}}`, false, "low", `"generation_config":{"topK":3,"thinking_config":{"includeThoughts":true,"thinkingLevel":"LOW"}}`},
		{"gemini with a level", parseStreamedGemini, geminiBody, `,"generationConfig":{"thinkingConfig":{"thinkingLevel":"LOW"}}`, true, "", ``},
		{"gemini with a budget", parseStreamedGemini, geminiBody, `,"generation_config":{"thinking_config":{"thinking_budget":0}}`, true, "", ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := tt.parse([]byte(" {" + tt.body + tt.more + "}"))
			require.NoError(t, err)
			require.Equal(t, tt.own, r.SetsEffort())
			if tt.own {
				return
			}
			changed, err := requestbody.WithEffort(r, tt.effort)
			require.NoError(t, err)
			require.JSONEq(t, "{"+tt.body+","+tt.want+"}", string(changed.Body))
			require.True(t, changed.SetsEffort())
			require.Equal(t, [2]any{r.Protocol, r.Model}, [2]any{changed.Protocol, changed.Model})
			require.Equal(t, r.Stream, changed.Stream)
			require.True(t, json.Valid(changed.Body))
		})
	}
}

func TestEmbeddingsHaveNoEffort(t *testing.T) {
	r, err := requestbody.ParseEmbeddings([]byte(`{"model":"m","input":"hi","reasoning_effort":"low"}`))
	require.NoError(t, err)
	require.False(t, r.SetsEffort())
}
