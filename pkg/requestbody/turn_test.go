package requestbody_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/requestbody"
)

func parseGemini(body []byte) (*requestbody.Request, error) {
	return requestbody.ParseGenerateContent(body, "auto", false)
}

// Every protocol tells whether there was an earlier turn, and whether the last message is the
// result of a tool.
func TestHistoryAndToolResults(t *testing.T) {
	const (
		chatCall   = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}`
		chatUser   = `{"role":"user","content":"hi"}`
		blockUser  = `{"role":"user","content":[{"type":"text","text":"hi"}]}`
		blockCall  = `{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{}}]}`
		result     = `{"type":"tool_result","tool_use_id":"c1","content":"ok"}`
		partUser   = `{"role":"user","parts":[{"text":"hi"}]}`
		partCall   = `{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}`
		partResult = `{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}`
	)
	chat := func(messages string) string { return `{"model":"auto","messages":[` + messages + `]}` }
	blocks := func(messages string) string { return `{"model":"auto","max_tokens":9,"messages":[` + messages + `]}` }
	contents := func(all string) string { return `{"contents":[` + all + `]}` }
	for _, tc := range []struct {
		name                 string
		parse                func([]byte) (*requestbody.Request, error)
		body                 string
		hasHistory, toolLoop bool
	}{
		{"chat, first", requestbody.ParseChat, chat(`{"role":"system","content":"be brief"},` + chatUser), false, false},
		{"chat, result", requestbody.ParseChat, chat(chatUser + "," + chatCall + `,{"role":"tool","tool_call_id":"c1","content":"ok"}`), true, true},
		{"chat, function result", requestbody.ParseChat, chat(chatUser + "," + chatCall + `,{"role":"function","name":"f","content":"ok"}`), true, true},
		{"chat, system after result", requestbody.ParseChat, chat(chatUser + "," + chatCall + `,{"role":"tool","content":"ok"},{"role":"system","content":"remember"}`), true, true},
		{"chat, user after result", requestbody.ParseChat, chat(chatUser + "," + chatCall + `,{"role":"tool","content":"ok"},` + chatUser), true, false},
		{"chat, answered", requestbody.ParseChat, chat(chatUser + "," + chatCall + `,{"role":"tool","content":"ok"},{"role":"assistant","content":"done"}`), true, false},
		{"messages, first", requestbody.ParseMessages, blocks(blockUser), false, false},
		{"messages, result", requestbody.ParseMessages, blocks(blockUser + "," + blockCall + `,{"role":"user","content":[` + result + `]}`), true, true},
		{"messages, result with a reminder", requestbody.ParseMessages, blocks(blockUser + "," + blockCall + `,{"role":"user","content":[` + result + `,{"type":"text","text":"remember"}]},{"role":"system","content":"x"}`), true, true},
		{"messages, user after result", requestbody.ParseMessages, blocks(blockUser + "," + blockCall + `,{"role":"user","content":[` + result + `]},` + blockUser), true, false},
		{"messages, begun answer", requestbody.ParseMessages, blocks(blockUser + `,{"role":"assistant","content":"So"}`), true, false},
		{"responses, text", requestbody.ParseResponses, `{"model":"auto","input":"hi"}`, false, false},
		{"responses, first", requestbody.ParseResponses, items(userItem, ""), false, false},
		{"responses, result", requestbody.ParseResponses, items(userItem+","+callItem+","+outputItem, ""), true, true},
		{"responses, developer after result", requestbody.ParseResponses, items(userItem+","+callItem+","+outputItem+`,{"role":"developer","content":"x"}`, ""), true, true},
		{"responses, user after result", requestbody.ParseResponses, items(userItem+","+callItem+","+outputItem+","+userItem, ""), true, false},
		{"responses, native result", requestbody.ParseResponses, items(userItem+`,{"type":"local_shell_call","call_id":"c"},{"type":"local_shell_call_output","output":"x"}`, ""), true, true},
		{"responses, native call", requestbody.ParseResponses, items(userItem+`,{"type":"web_search_call","id":"x"}`, ""), true, false},
		{"responses, stored history", requestbody.ParseResponses, items(userItem, `,"previous_response_id":"resp_1"`), true, false},
		{"gemini, first", parseGemini, contents(partUser), false, false},
		{"gemini, result", parseGemini, contents(partUser + "," + partCall + "," + partResult), true, true},
		{"gemini, user after result", parseGemini, contents(partUser + "," + partCall + "," + partResult + "," + partUser), true, false},
		{"gemini, answered", parseGemini, contents(partUser + `,{"role":"model","parts":[{"text":"x"}]}`), true, false},
	} {
		r, err := tc.parse([]byte(tc.body))
		require.NoError(t, err, tc.name)
		require.Equal(t, tc.hasHistory, r.HasHistory, tc.name)
		require.Equal(t, tc.toolLoop, r.EndsWithToolResult, tc.name)
	}
}

func TestCacheMarks(t *testing.T) {
	const mark = `"cache_control":{"type":"ephemeral"}`
	for name, tc := range map[string]struct {
		parse func([]byte) (*requestbody.Request, error)
		body  string
		marks bool
	}{
		"none":               {requestbody.ParseMessages, `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"cache_control"}]}`, false},
		"null":               {requestbody.ParseMessages, `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":"x","cache_control":null}]}]}`, false},
		"block":              {requestbody.ParseMessages, `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":"x",` + mark + `}]}]}`, true},
		"system":             {requestbody.ParseMessages, `{"model":"m","max_tokens":1,"system":[{"type":"text","text":"x",` + mark + `}],"messages":[{"role":"user","content":"x"}]}`, true},
		"tool":               {requestbody.ParseMessages, `{"model":"m","max_tokens":1,"tools":[{"name":"f","input_schema":{},` + mark + `}],"messages":[{"role":"user","content":"x"}]}`, true},
		"whole request":      {requestbody.ParseMessages, `{"model":"m","max_tokens":1,` + mark + `,"messages":[{"role":"user","content":"x"}]}`, true},
		"chat part":          {requestbody.ParseChat, `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"x",` + mark + `}]}]}`, true},
		"chat message":       {requestbody.ParseChat, `{"model":"m","messages":[{"role":"user","content":"x",` + mark + `}]}`, true},
		"chat without marks": {requestbody.ParseChat, `{"model":"m","messages":[{"role":"user","content":"x","name":"y"}]}`, false},
	} {
		r, err := tc.parse([]byte(tc.body))
		require.NoError(t, err, name)
		require.Equal(t, tc.marks, r.MarksCache, name)
	}
}

func TestTheOpeningIsFoundWithoutTheCacheKey(t *testing.T) {
	parse := func(body string) *requestbody.Request {
		r, err := requestbody.ParseChat([]byte(body))
		require.NoError(t, err)
		return r
	}
	one := parse(`{"model":"m","prompt_cache_key":"k\u0031","messages":[{"role":"user","content":"hi"}]}`)
	two := parse(`{"model":"m","prompt_cache_key":"k\u0031","messages":[{"role":"user","content":"title"}]}`)
	require.Equal(t, one.ConversationID(), two.ConversationID())
	require.NotEqual(t, one.OpeningID(), two.OpeningID())
	require.Equal(t, "k1", one.TextMember("prompt_cache_key"))
	require.Empty(t, one.TextMember("messages"))
	require.Empty(t, one.TextMember("user"))
	require.Contains(t, string(one.AppendOpening(nil, 100)), "hi")
	require.Len(t, one.AppendOpening([]byte("x"), 5), 6)
	r, err := requestbody.ParseMessages([]byte(`{"model":"m","max_tokens":1,"system":"a title","messages":[{"role":"user","content":"hi"}]}`))
	require.NoError(t, err)
	require.Equal(t, `"a title""hi"`, string(r.AppendOpening(nil, 100)))
}

// Conversations that continue stored responses with the same text are not one conversation.
func TestARequestThatContinuesAStoredResponseHasNoOpening(t *testing.T) {
	continued := responses(t, items(userItem, `,"previous_response_id":"resp_1"`))
	require.Zero(t, continued.OpeningID())
	require.Zero(t, continued.ConversationID())
	require.NotZero(t, responses(t, items(userItem, `,"previous_response_id":null`)).OpeningID())
	require.NotZero(t, responses(t, items(userItem, `,"previous_response_id":"resp_1","prompt_cache_key":"k"`)).ConversationID())
}
