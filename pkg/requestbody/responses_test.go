package requestbody_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

func responses(t *testing.T, body string) *requestbody.Request {
	t.Helper()
	r, err := requestbody.ParseResponses([]byte(body))
	require.NoError(t, err)
	return r
}

// items wraps input items into an otherwise complete body.
func items(input, members string) string {
	return `{"model":"auto","input":[` + input + `]` + members + `}`
}

const (
	userItem   = `{"role":"user","content":"hi"}`
	callItem   = `{"type":"function_call","call_id":"c1","name":"shell","arguments":"{\"a\":1}"}`
	outputItem = `{"type":"function_call_output","call_id":"c1","output":"42"}`
)

func TestParseResponsesExtractsRoutingInputs(t *testing.T) {
	r := responses(t, `{"instructions":"be brief","input":[
		{"type":"message","role":"developer","content":[{"type":"input_text","text":"rules"}]},
		{"role":"user","content":[{"type":"input_text","text":"what is \"this\"?"},{"type":"input_image","detail":"low","image_url":"https://example.com/x.png"}]},
		{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}]},
		{"type":"message","role":"assistant","content":[{"type":"output_text","text":"let me look","annotations":[]}]},
		{"type":"function_call","call_id":"c1","name":"shell","arguments":"{}"},
		{"type":"custom_tool_call","call_id":"c2","name":"patch","input":"x"},
		{"type":"custom_tool_call_output","call_id":"c2","output":[{"type":"input_text","text":"ok"}]},
		{"type":"function_call_output","call_id":"c\u0031","output":"42"}],
		"tools":[{"type":"function","name":"shell","parameters":{}},{"type":"custom","name":"patch"},{"type":"web_search"},
			{"type":"namespace","name":"agents","description":"d","tools":[{"type":"function","name":"spawn"},{"type":"function","name":"wait"}]}],
		"text":{"format":{"type":"json_schema","name":"n","schema":{}},"verbosity":"low"},"reasoning":{"effort":"low"},
		"max_output_tokens":50,"temperature":0,"top_p":null,"stream":true,"store":false,"metadata":{"team":"a"},"model":"a\u002fb"}`)
	require.Equal(t, catalog.Chat, r.Kind)
	require.Equal(t, requestbody.Responses, r.Protocol)
	require.Empty(t, r.NativeOnly)
	require.Equal(t, "a/b", r.Model)
	require.True(t, r.Stream)
	require.False(t, r.Store)
	require.EqualValues(t, 50, r.MaxOutputTokens)
	require.Equal(t, map[string]string{"team": "a"}, r.Metadata)
	require.Equal(t, []catalog.Capability{catalog.Tools, catalog.JSONSchema, catalog.Vision}, r.RequiredCapabilities)
	require.EqualValues(t, 6, r.Features.GetOrZero("messages"), "adjacent items of the assistant are one message")
	require.EqualValues(t, 1, r.Features.GetOrZero("turns"))
	require.EqualValues(t, 1, r.Features.GetOrZero("images"))
	require.EqualValues(t, 4, r.Features.GetOrZero("tools"), "built-in tools are optional")
	require.EqualValues(t, len(`what is "this"?`), r.Features.GetOrZero("user_bytes"))
	require.Equal(t, `what is "this"?`, r.Excerpt(100))
	require.InDelta(t, 85+150, r.InputTokens, 60)
}

func TestParseResponsesStringInput(t *testing.T) {
	r := responses(t, `{"model":"m","input":"say \"hi\""}`)
	require.Equal(t, `say "hi"`, r.Excerpt(100))
	require.True(t, r.Store, "the default of the protocol")
	require.EqualValues(t, 8, r.Features.GetOrZero("user_bytes"))
	require.EqualValues(t, 1, r.Features.GetOrZero("messages"))
	chatTokens := chat(t, `{"model":"m","messages":[{"role":"user","content":"say \"hi\""}]}`).InputTokens
	require.Equal(t, chatTokens, r.InputTokens, "the same weights as for chats")
}

func TestParseResponsesConversationID(t *testing.T) {
	talk := func(input, more string) uint64 { return responses(t, items(input, more)).ConversationID() }
	one := talk(userItem, "")
	require.NotZero(t, one)
	require.Equal(t, one, talk(userItem+","+callItem+","+outputItem, ""))
	named := talk(userItem, `,"prompt_cache_key":"thread-7"`)
	require.Equal(t, named, talk(callItem+","+outputItem, `,"prompt_cache_key":"thread-7"`))
	require.NotEqual(t, named, one)
	require.NotZero(t, responses(t, `{"model":"m","input":"x"}`).ConversationID())
}

func TestParseResponsesNativeOnly(t *testing.T) {
	for name, tc := range map[string]struct {
		body string
		want []string
	}{
		"encrypted reasoning":   {items(`{"type":"reasoning","summary":[],"encrypted_content":"gAAAA"},`+userItem, ""), []string{"encrypted_content"}},
		"our own reasoning":     {items(`{"type":"reasoning","summary":[],"encrypted_content":"sbx1.W10"},`+userItem, ""), nil},
		"plain reasoning":       {items(`{"type":"reasoning","summary":[],"encrypted_content":null},`+userItem, ""), nil},
		"compaction":            {items(`{"type":"compaction","encrypted_content":"x"},`+userItem, ""), []string{"encrypted_content"}},
		"reference":             {items(`{"type":"item_reference","id":"msg_1"},`+outputItem, ""), []string{"item_reference"}},
		"reference, no type":    {items(`{"id":"msg_1"}`, ""), []string{"item_reference"}},
		"previous response":     {items(outputItem, `,"previous_response_id":"resp_1"`), []string{"previous_response_id"}},
		"only a stored state":   {`{"model":"m","previous_response_id":"resp_1"}`, []string{"previous_response_id"}},
		"conversation":          {items(outputItem, `,"conversation":{"id":"conv_1"}`), []string{"conversation"}},
		"image by id":           {items(`{"role":"user","content":[{"type":"input_image","file_id":"file_1"},{"type":"input_file","file_id":"file_2"}]}`, ""), []string{"file_id"}},
		"built-in call":         {items(userItem+`,{"type":"web_search_call","id":"ws_1","status":"completed"},{"type":"mcp_list_tools"}`, ""), []string{"server_tool"}},
		"shell output":          {items(userItem+`,{"type":"local_shell_call_output","id":"x","output":"y"}`, ""), []string{"server_tool"}},
		"unknown item":          {items(userItem+`,{"type":"compaction_trigger"}`, ""), []string{"item_type"}},
		"unknown part":          {items(`{"role":"user","content":[{"type":"input_video"}]}`, ""), []string{"content_type"}},
		"forced built-in":       {items(userItem, `,"tools":[{"type":"function","name":"f"}],"tool_choice":{"type":"web_search"}`), []string{"server_tool"}},
		"only built-in":         {items(userItem, `,"tool_choice":"required","tools":[{"type":"web_search"}]`), []string{"server_tool"}},
		"optional built-in":     {items(userItem, `,"tool_choice":"auto","tools":[{"type":"web_search"},{"type":"mcp","server_label":"x"}]`), nil},
		"allowed built-in":      {items(userItem, `,"tools":[],"tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"mcp"}]}`), []string{"server_tool"}},
		"background":            {items(userItem, `,"background":true`), []string{"background"}},
		"no background":         {items(userItem, `,"background":false,"conversation":null,"prompt":null,"previous_response_id":null`), nil},
		"prompt, without model": {`{"prompt":{"id":"pmpt_1"}}`, []string{"prompt"}},
		"each name once":        {items(`{"type":"reasoning","encrypted_content":"a"},{"type":"reasoning","encrypted_content":"b"}`, ""), []string{"encrypted_content"}},
	} {
		r, err := requestbody.ParseResponses([]byte(tc.body))
		require.NoError(t, err, name)
		require.Equal(t, tc.want, r.NativeOnly, name)
	}
	r := responses(t, items(userItem, `,"previous_response_id":"resp_\u0031"`))
	require.Equal(t, "resp_1", r.PreviousResponseID)
	require.True(t, responses(t, items(`{"type":"reasoning","encrypted_content":"sbx1.W10"}`, "")).HasGatewayState)
	require.False(t, r.HasGatewayState)
}

func TestParseResponsesRejectsBadInput(t *testing.T) {
	for body, param := range map[string]string{
		`{"input":"x"}`:                                                "model",
		`{"model":"m"}`:                                                "input",
		`{"model":"m","input":null}`:                                   "input",
		`{"model":"m","input":[]}`:                                     "input",
		`{"model":"m","input":5}`:                                      "input",
		`{"model":"m","messages":[]}`:                                  "input",
		`{"model":"m","input":"x","Input":"y"}`:                        "Input",
		`{"model":"m","input":"x","text":1}`:                           "text",
		`{"model":"m","input":"x","reasoning":1}`:                      "reasoning",
		`{"model":"m","input":"x","store":1}`:                          "store",
		items(userItem, `,"max_output_tokens":0`):                      "max_output_tokens",
		items(userItem, `,"temperature":3`):                            "temperature",
		items(userItem, `,"instructions":[]`):                          "instructions",
		items(userItem, `,"text":{"format":{"type":1}}`):               "text.format.type",
		items(userItem, `,"previous_response_id":1`):                   "previous_response_id",
		items(userItem, `,"top_logprobs":21`):                          "top_logprobs",
		items(userItem, `,"stream_options":{"include_obfuscation":1}`): "stream_options.include_obfuscation",
		items(userItem, `,"include":"x"`):                              "include",
		items(userItem+`,5`, ""):                                       "input[1]",
		items(`{"content":"x"}`, ""):                                   "input[0].type",
		items(`{"type":"","content":"x"}`, ""):                         "input[0].type",
		items(`{"role":"tool","content":"x"}`, ""):                     "input[0].role",
		items(`{"type":"message","content":"x"}`, ""):                  "input[0].role",
		items(userItem+`,{"role":"user"}`, ""):                         "input[1].content",
		items(`{"role":"user","content":{}}`, ""):                      "input[0].content",
		items(`{"role":"user","content":["x"]}`, ""):                   "input[0].content[0]",
		items(`{"role":"user","content":[{"text":"x"}]}`, ""):          "input[0].content[0].type",
		items(`{"role":"user","content":[{"type":"input_text"}]}`, ""): "input[0].content[0].text",
		items(`{"content":[{"type":"input_text","text":"x"},{"type":"refusal"}],"role":"assistant"}`, ""): "input[0].content[1].refusal",
		items(`{"role":"user","content":[{"type":"input_image","image_url":{"url":"x"}}]}`, ""):           "input[0].content[0].image_url",
		items(`{"role":"user","content":[{"type":"input_file"}]}`, ""):                                    "input[0].content[0]",
		items(`{"type":"function_call","call_id":"c1","arguments":"{}"}`, ""):                             "input[0].name",
		items(`{"type":"function_call","call_id":"c1","name":"f","arguments":{}}`, ""):                    "input[0].arguments",
		items(`{"type":"function_call","name":"f","arguments":"{}"}`, ""):                                 "input[0].call_id",
		items(`{"type":"custom_tool_call","call_id":"c","name":"f"}`, ""):                                 "input[0].input",
		items(callItem+`,{"type":"function_call_output","call_id":"c1"}`, ""):                             "input[1].output",
		items(callItem+`,{"type":"function_call_output","output":"x"}`, ""):                               "input[1].call_id",
		items(userItem+","+userItem+","+userItem+","+outputItem, ""):                                      "input[3].call_id",
		items(outputItem+","+callItem, ""):                                                                "input[0].call_id",
		items(outputItem, `,"previous_response_id":null`):                                                 "input[0].call_id",
		items(`{"type":"reasoning","encrypted_content":5}`, ""):                                           "input[0].encrypted_content",
		items(userItem, `,"tools":{}`):                                                                    "tools",
		items(userItem, `,"tools":[5]`):                                                                   "tools[0]",
		items(userItem, `,"tools":[{"name":"f"}]`):                                                        "tools[0].type",
		items(userItem, `,"tools":[{"type":"function","function":{"name":"f"}}]`):                         "tools[0].name",
		items(userItem, `,"tools":[{"type":"namespace","name":"n"}]`):                                     "tools[0].tools",
		items(userItem, `,"tools":[{"type":"namespace","name":"n","tools":[{"type":"function"}]}]`):       "tools[0].tools[0].name",
		items(userItem, `,"tool_choice":5`):                                                               "tool_choice",
		items(userItem, `,"tool_choice":{}`):                                                              "tool_choice.type",
		items(userItem, `,"tool_choice":{"type":"function"}`):                                             "tool_choice.name",
	} {
		_, err := requestbody.ParseResponses([]byte(body))
		require.Equal(t, apperr.InvalidRequest, apperr.CodeOf(err), "%s: %v", body, err)
		require.Equal(t, param, apperr.From(err).Details["param"], body)
	}
	for _, body := range []string{
		`{"model":"m","input":"x","input":"y"}`, `{"model":"m","input":[`, ``, `[]`,
		items(`{"role":"user","content":`+strings.Repeat("[", 70)+strings.Repeat("]", 70)+`}`, ""),
	} {
		_, err := requestbody.ParseResponses([]byte(body))
		require.Equal(t, apperr.InvalidJSON, apperr.CodeOf(err), body)
	}
	var many strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&many, `,"k%d":1`, i)
	}
	_, err := requestbody.ParseResponses([]byte(items(userItem, many.String())))
	require.Equal(t, apperr.InvalidRequest, apperr.CodeOf(err))
}

func FuzzParseResponses(f *testing.F) {
	for _, seed := range []string{
		items(userItem+","+callItem+","+outputItem, `,"stream":true,"store":false`), `{"model":"m","input":"x"}`,
		items(`{"type":"reasoning","summary":[{"type":"summary_text","text":"t"}],"encrypted_content":"sbx1.W10"}`, `,"tools":[{"type":"namespace","name":"n","tools":[{"type":"custom","name":"x"}]}]`),
		items(`{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,AA"},{"type":"input_file","file_url":"x"}]}`, `,"tool_choice":{"type":"allowed_tools","tools":[]}`),
		`{"prompt":{}}`, items(`{"id":"x"}`, `,"text":{"format":{"type":"json_object"}}`), `{`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := requestbody.ParseResponses(body)
		if err != nil {
			require.NotEqual(t, apperr.Internal, apperr.CodeOf(err), "%v", err)
			return
		}
		require.True(t, strictJSON(body))
		require.LessOrEqual(t, len(r.Excerpt(100)), 100)
		require.GreaterOrEqual(t, r.Features.GetOrZero("text_bytes"), int64(0))
		require.GreaterOrEqual(t, r.Features.GetOrZero("user_bytes"), int64(0))
		r.ConversationID()
	})
}

func benchmarkParseResponses(b *testing.B, size int) {
	const line = `The signal at the junction shows clear.\n`
	body := []byte(`{"model":"auto","input":[{"type":"message","role":"developer","content":[{"type":"input_text","text":"be brief"}]},` +
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"` + strings.Repeat(line, size/len(line)) + `"}]}],"store":false,"stream":true}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := requestbody.ParseResponses(body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseResponses2KB(b *testing.B)   { benchmarkParseResponses(b, 2<<10) }
func BenchmarkParseResponses200KB(b *testing.B) { benchmarkParseResponses(b, 200<<10) }

// agentContext returns an agent's conversation of about size bytes. pair is a call and its
// output, with three times %d for the number and %s for the output.
func agentContext(size int, pair string) string {
	var b strings.Builder
	b.WriteString(userItem)
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, pair, i, i, i, strings.Repeat(`total 4 drwxr-xr-x\n`, 80))
	}
	return b.String()
}

func benchmarkAgent(b *testing.B, text string, parse func([]byte) (*requestbody.Request, error)) {
	body := []byte(text)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parse(body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseResponsesAgent500KB(b *testing.B) {
	const pair = `,{"type":"function_call","id":"fc_%d","call_id":"call_%d","name":"shell","arguments":"{\"command\":[\"ls\",\"-l\"]}","status":"completed"}` +
		`,{"type":"function_call_output","call_id":"call_%d","output":"%s"}`
	benchmarkAgent(b, items(agentContext(500<<10, pair), ""), requestbody.ParseResponses)
}
