package requestbody_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// claude returns a Messages body with the given messages and further members.
func claude(messages, more string) string {
	return `{"model":"auto","max_tokens":100,"messages":[` + messages + `]` + more + `}`
}

const (
	claudeUser   = `{"role":"user","content":"hi"}`
	claudeCall   = `{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"ls"}}]}`
	claudeResult = `{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"a.go","is_error":false,"cache_control":{"type":"ephemeral"}}]}`
	claudeTool   = `{"name":"Bash","description":"run","input_schema":{"type":"object"}}`
	webSearch    = `{"type":"web_search_20250305","name":"web_search","max_uses":5}`
)

func parseMessages(t *testing.T, body string) *requestbody.Request {
	t.Helper()
	r, err := requestbody.ParseMessages([]byte(body))
	require.NoError(t, err, body)
	return r
}

func TestParseMessages(t *testing.T) {
	r := parseMessages(t, claude(claudeUser+`,{"role":"system","content":[{"type":"text","text":"mode: plan","cache_control":{"type":"ephemeral"}}],"output_config":{"effort":"low"}},`+
		claudeCall+`,`+claudeResult,
		`,"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral","ttl":"1h"}}],"stream":true,"tools":[`+claudeTool+`,`+webSearch+`],`+
			`"metadata":{"user_id":"{\"session_id\":\"s\"}"},"thinking":{"type":"adaptive"},"context_management":{"edits":[]},"stop_sequences":["END"],`+
			`"tool_choice":{"type":"auto","disable_parallel_tool_use":true},"output_config":{"effort":"high"},"betas":["x"]`))
	require.Equal(t, requestbody.Messages, r.Protocol)
	require.Equal(t, catalog.Chat, r.Kind)
	require.Equal(t, "auto", r.Model)
	require.True(t, r.Stream)
	require.EqualValues(t, 100, r.MaxOutputTokens)
	require.Equal(t, 1, r.Choices)
	require.Empty(t, r.NativeOnly)
	require.Equal(t, []catalog.Capability{catalog.Tools}, r.RequiredCapabilities)
	require.Equal(t, map[string]string{"user_id": `{"session_id":"s"}`}, r.Metadata)
	require.Equal(t, "hi", r.Excerpt(100), "the message that the user wrote, not the tool result")
	for name, want := range map[string]int64{"messages": 4, "turns": 1, "tools": 2, "max_output": 100, "stream": 1, "user_bytes": 2, "images": 0} {
		got, ok := r.Features.Get(name)
		require.True(t, ok)
		require.Equal(t, want, got, name)
	}
}

func TestMessagesCapabilities(t *testing.T) {
	image := `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"}}`
	for blocks, want := range map[string][]catalog.Capability{
		`{"type":"text","text":"x"}`: nil,
		image:                        {catalog.Vision},
		`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="}}`:      {catalog.Files},
		`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"notes"}}`:                nil,
		`{"type":"document","source":{"type":"content","content":[{"type":"text","text":"x"},` + image + `]}}`: {catalog.Vision},
	} {
		r := parseMessages(t, claude(`{"role":"user","content":[`+blocks+`]}`, ""))
		require.Equal(t, want, r.RequiredCapabilities, blocks)
		require.Empty(t, r.NativeOnly)
	}
	r := parseMessages(t, claude(claudeUser, `,"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}}`))
	require.Equal(t, []catalog.Capability{catalog.JSONSchema}, r.RequiredCapabilities)
	inResult := strings.Replace(claudeResult, `"a.go"`, `[`+image+`]`, 1)
	require.Equal(t, []catalog.Capability{catalog.Vision}, parseMessages(t, claude(claudeCall+`,`+inResult, "")).RequiredCapabilities)
}

func TestMessagesNativeOnly(t *testing.T) {
	assistant := func(block string) string {
		return claude(claudeUser+`,{"role":"assistant","content":[`+block+`]},`+claudeUser, "")
	}
	user := func(block string) string { return claude(`{"role":"user","content":[`+block+`]}`, "") }
	for body, want := range map[string]string{
		assistant(`{"type":"thinking","thinking":"t","signature":"EqQB"}`):                                                                       "signature",
		assistant(`{"type":"thinking","thinking":"t","signature":"sbx1.e30"}`):                                                                   "",
		assistant(`{"type":"thinking","thinking":"t","signature":""}`):                                                                           "",
		assistant(`{"type":"redacted_thinking","data":"x"}`):                                                                                     "signature",
		assistant(`{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}`):                                                 "server_tool",
		assistant(`{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"u","title":"t"}]}`): "server_tool",
		assistant(`{"type":"mcp_tool_use","id":"m","name":"n","server_name":"s","input":{}}`):                                                    "server_tool",
		assistant(`{"type":"code_execution_tool_result","tool_use_id":"x","content":{"type":"code_execution_result"}}`):                          "server_tool",
		assistant(`{"type":"compaction","content":"x"}`):                                                                                         "content_type",
		user(`{"type":"image","source":{"type":"file","file_id":"file_1"}}`):                                                                     "file_id",
		user(`{"type":"document","source":{"type":"file","file_id":"file_1"}}`):                                                                  "file_id",
		user(`{"type":"image","source":{"type":"\u0066ile","file_id":"file_1"}}`):                                                                "file_id",
		user(`{"type":"d\u006fcument","source":{"type":"file","file_id":"file_1"}}`):                                                             "file_id",
		user(`{"type":"container\u005fupload","file_id":"file_1"}`):                                                                              "file_id",
		user(`{"type":"video","source":{"type":"file","file_id":"file_1"}}`):                                                                     "file_id,content_type",
		user(`{"type":"\u0069mage","source":{"type":"url","url":"https://x/a.png"}}`):                                                            "",
		user(`{"type":"document","source":{"type":"url","url":"https://x/a.pdf"}}`):                                                              "document",
		user(`{"type":"container_upload","file_id":"file_1"}`):                                                                                   "file_id",
		claude(claudeUser+`,{"role":"assistant","content":"{"}`, ""):                                                                             "prefill",
		claude(claudeUser, `,"mcp_servers":[{"type":"url","url":"https://x","name":"n"}]`):                                                       "mcp_servers",
		claude(claudeUser, `,"mcp_servers":[]`):                                                                                                  "",
		claude(claudeUser, `,"container":"container_1"`):                                                                                         "container",
		claude(claudeUser, `,"container":null`):                                                                                                  "",
		claude(claudeUser, `,"inference_geo":"us"`):                                                                                              "inference_geo",
		claude(claudeUser, `,"tools":[`+webSearch+`]`):                                                                                           "",
		claude(claudeUser, `,"tools":[`+webSearch+`],"tool_choice":{"type":"any"}`):                                                              "server_tool",
		claude(claudeUser, `,"tools":[`+webSearch+`,`+claudeTool+`],"tool_choice":{"type":"any"}`):                                               "",
		claude(claudeUser, `,"tool_choice":{"type":"tool","name":"web_search"},"tools":[`+webSearch+`,`+claudeTool+`]`):                          "server_tool",
		claude(claudeUser, `,"tool_choice":{"type":"tool","name":"Bash"},"tools":[`+webSearch+`,`+claudeTool+`]`):                                "",
		claude(claudeUser, `,"tools":[{"type":"bash_20250124","name":"bash"}]`):                                                                  "client_tool",
	} {
		got := strings.Join(parseMessages(t, body).NativeOnly, ",")
		require.Equal(t, want, got, body)
	}
}

func TestInvalidMessages(t *testing.T) {
	user := func(content string) string { return `{"role":"user","content":` + content + `}` }
	for body, param := range map[string]string{
		`{"model":"m","messages":[` + claudeUser + `]}`:                "max_tokens",
		`{"model":"m","max_tokens":0,"messages":[` + claudeUser + `]}`: "max_tokens",
		`{"max_tokens":1,"messages":[` + claudeUser + `]}`:             "model",
		`{"model":"m","max_tokens":1}`:                                 "messages",
		claude("", ""):                                                 "messages",
		claude(`"x"`, ""):                                              "messages[0]",
		claude(claudeUser+`,{"role":"tool","content":"x"}`, ""):        "messages[1].role",
		claude(claudeUser+`,{"role":"developer","content":"x"}`, ""):   "messages[1].role",
		claude(`{"content":"x"}`, ""):                                  "messages[0].role",
		claude(`{"role":"user"}`, ""):                                  "messages[0].content",
		claude(user(`null`), ""):                                       "messages[0].content",
		claude(user(`5`), ""):                                          "messages[0].content",
		claude(user(`["x"]`), ""):                                      "messages[0].content[0]",
		claude(user(`[{"text":"x"}]`), ""):                             "messages[0].content[0].type",
		claude(claudeUser+","+claudeResult, ""):                        "messages[1].content[0].tool_use_id",
		claude(claudeCall+","+claudeResult+","+claudeCall, ""):         "",
		claude(claudeCall+","+claudeResult+`,{"role":"assistant","content":"ok"},`+claudeResult, ""):              "messages[3].content[0].tool_use_id",
		claude(claudeCall+`,{"role":"system","content":"x"},`+claudeResult, ""):                                   "",
		claude(claudeCall+`,{"role":"assistant","content":"and"},`+claudeResult, ""):                              "",
		claude(`{"content":[{"type":"tool_use","id":"a","name":"b","input":{}}],"role":"user"}`, ""):              "messages[0].content",
		claude(`{"role":"assistant","content":[{"type":"tool_use","name":"b","input":{}}]}`, ""):                  "messages[0].content[0].id",
		claude(`{"role":"assistant","content":[{"type":"tool_use","id":"a","input":{}}]}`, ""):                    "messages[0].content[0].name",
		claude(claudeCall+`,{"role":"assistant","content":[{"type":"tool_result","tool_use_id":"toolu_1"}]}`, ""): "messages[1].content",
		claude(claudeUser, `,"system":5`):                              "system",
		claude(claudeUser, `,"system":[{"type":"image","source":{}}]`): "system[0]",
		claude(claudeUser, `,"tools":{}`):                              "tools",
		claude(claudeUser, `,"tools":[`+claudeTool+`,5]`):              "tools[1]",
		claude(claudeUser, `,"tools":[{"input_schema":{}}]`):           "tools[0].name",
		claude(claudeUser, `,"tools":[{"name":"a"}]`):                  "tools[0].input_schema",
		claude(claudeUser, `,"tool_choice":"auto"`):                    "tool_choice",
		claude(claudeUser, `,"tool_choice":{"type":"required"}`):       "tool_choice.type",
		claude(claudeUser, `,"tool_choice":{"type":"tool"}`):           "tool_choice.name",
		claude(claudeUser, `,"stop_sequences":"x"`):                    "stop_sequences",
		claude(claudeUser, `,"stop_sequences":[1]`):                    "stop_sequences",
		claude(claudeUser, `,"temperature":1.5`):                       "temperature",
		claude(claudeUser, `,"top_k":-1`):                              "top_k",
		claude(claudeUser, `,"thinking":"on"`):                         "thinking",
		claude(claudeUser, `,"output_config":[]`):                      "output_config",
		claude(claudeUser, `,"output_config":{"format":1}`):            "output_config.format",
		claude(claudeUser, `,"stream":1`):                              "stream",
		claude(claudeUser, `,"metadata":1`):                            "metadata",
		claude(claudeUser, `,"Tools":[]`):                              "Tools",
	} {
		_, err := requestbody.ParseMessages([]byte(body))
		if param == "" {
			require.NoError(t, err, body)
			continue
		}
		require.Error(t, err, body)
		require.Equal(t, apperr.InvalidRequest, apperr.CodeOf(err), "%s: %v", body, err)
		require.Equal(t, param, apperr.From(err).Details["param"], body)
	}
	deep := claude(`{"role":"user","content":[`+strings.Repeat(`{"type":"tool_result","content":[`, 40)+strings.Repeat(`]}`, 40)+`]}`, "")
	_, err := requestbody.ParseMessages([]byte(deep))
	require.Equal(t, apperr.InvalidJSON, apperr.CodeOf(err), "%v", err)
}

func TestParseMessagesCount(t *testing.T) {
	body := `{"model":"m","messages":[` + claudeUser + `]}`
	r, err := requestbody.ParseMessagesCount([]byte(body))
	require.NoError(t, err)
	require.Positive(t, r.InputTokens)
	require.Zero(t, r.MaxOutputTokens)
}

// Messages and chat completions with the same texts get about the same estimate.
func TestMessagesTokensLikeChat(t *testing.T) {
	text := strings.Repeat("The signal at the junction shows clear. ", 100)
	asChat := chat(t, `{"model":"m","messages":[{"role":"system","content":"`+text+`"},{"role":"user","content":"`+text+`"},`+
		`{"role":"assistant","content":"","tool_calls":[{"id":"toolu_1","type":"function","function":{"name":"Bash","arguments":"{\"command\":\"`+text+`\"}"}}]},`+
		`{"role":"tool","tool_call_id":"toolu_1","content":"`+text+`"}]}`)
	asMessages := parseMessages(t, claude(`{"role":"user","content":[{"type":"text","text":"`+text+`"}]},`+
		`{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"`+text+`"}}]},`+
		strings.Replace(claudeResult, "a.go", text, 1), `,"system":"`+text+`"`))
	require.InEpsilon(t, asChat.InputTokens, asMessages.InputTokens, 0.03)
	get := func(r *requestbody.Request, name string) int64 { v, _ := r.Features.Get(name); return v }
	require.InEpsilon(t, get(asChat, "text_bytes"), get(asMessages, "text_bytes"), 0.03)
	require.Equal(t, get(asChat, "user_bytes"), get(asMessages, "user_bytes"))
	require.Equal(t, get(asChat, "turns"), get(asMessages, "turns"))
}

// Agents move cache markers, switch between strings and blocks, and send a billing line that
// differs in each request.
func TestMessagesConversationID(t *testing.T) {
	id := func(messages, system string) uint64 {
		return parseMessages(t, claude(messages, `,"system":`+system)).ConversationID()
	}
	const marker = `,"cache_control":{"type":"ephemeral"}`
	billed := func(nonce string) string {
		return `[{"type":"text","text":"x-anthropic-billing-header: cc_version=2.1.325.abc; cch=` + nonce + `;"},{"type":"text","text":"Be brief."` + marker + `}]`
	}
	one := id(`{"role":"user","content":[{"type":"text","text":"hi"`+marker+`}]}`, billed("1"))
	require.NotZero(t, one)
	require.Equal(t, one, id(claudeUser, `"Be brief."`))
	require.Equal(t, one, id(claudeUser+","+claudeCall+","+claudeResult, billed("2")))
	require.NotEqual(t, one, id(claudeUser, `"Be long."`))
	require.NotEqual(t, one, id(`{"role":"user","content":"ho"}`, `"Be brief."`))
	require.NotEqual(t, id(`{"role":"user","content":"ab"}`, `"c"`), id(`{"role":"user","content":"b"}`, `"ca"`))
	require.Zero(t, id(claudeCall, `"Be brief."`), "there is no user message")
}

func FuzzParseMessages(f *testing.F) {
	for _, seed := range []string{
		claude(claudeUser, ""), claude(claudeUser+","+claudeCall+","+claudeResult, `,"tools":[`+claudeTool+`,`+webSearch+`],"tool_choice":{"type":"any"}`),
		claude(`{"role":"user","content":[{"type":"image","source":{"type":"base64","data":"/9j/"}},{"type":"document","source":{"type":"content","content":[{}]}}]}`, ""),
		`{"messages":[{"content":[{"type":"thinking","signature":"sbx1."}],"role":"assistant"}]}`, `{`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := requestbody.ParseMessages(body)
		if err != nil {
			require.Contains(t, []apperr.Code{apperr.InvalidJSON, apperr.InvalidRequest}, apperr.CodeOf(err))
			return
		}
		require.True(t, strictJSON(body))
		require.LessOrEqual(t, len(r.Excerpt(100)), 100)
		require.GreaterOrEqual(t, r.InputTokens, int64(0))
		r.ConversationID()
		again, err := requestbody.ParseMessagesCount(body)
		require.NoError(t, err)
		require.Equal(t, r.InputTokens, again.InputTokens)
	})
}

// Anthropic rejects the signatures that the proxy issues.
func TestStripOwnThinking(t *testing.T) {
	const own = `{"type":"thinking","thinking":"t","signature":"sbx1.e30"}`
	const text = `{ "type":"text", "text":"x" }`
	turns := func(a, b string) string {
		return claude(claudeUser+`, {"role":"assistant", "content": `+a+`},`+claudeUser+`,{"content":`+b+`,"role":"assistant"}`, `, "top_k": 5 `)
	}
	r := parseMessages(t, turns(`[`+own+`,`+text+`]`, `[`+own+`]`))
	require.True(t, r.HasGatewayState)
	stripped, err := requestbody.StripOwnThinking(r)
	require.NoError(t, err)
	require.Equal(t, turns(`[`+text+`]`, `[{"type":"text","text":"."}]`), string(stripped.Body))
	require.False(t, stripped.HasGatewayState)
	same, err := requestbody.StripOwnThinking(stripped)
	require.NoError(t, err)
	require.Same(t, stripped, same)
}
