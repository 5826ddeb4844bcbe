package proxy_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/emulate"
)

// lastCall returns the last call that a vendor received.
func (v *vendors) lastCall(t *testing.T, vendor string) emulate.Entry {
	t.Helper()
	book := v.by[vendor].Calls()
	require.NotEmpty(t, book)
	return book[len(book)-1]
}

// Clients of every protocol can use a model that exists only in the Responses API. The record has
// the token counts of the vendor.
func TestModelsOfTheResponsesAPI(t *testing.T) {
	v := newVendors(t)
	for name, tt := range map[string]struct{ path, body, want string }{
		"chat":              {chatPath, `{"model":"gpt-5.3-codex","reasoning_effort":"low",` + userHi + `}`, `"content":"You said: hi"`},
		"chat, stream":      {chatPath, `{"model":"gpt-5.3-codex","stream":true,` + userHi + `}`, `"content":"You said: hi"`},
		"messages":          {messagesPath, `{"model":"gpt-5.3-codex","max_tokens":99,` + userHi + `}`, `"text":"You said: hi"`},
		"messages, stream":  {messagesPath, `{"model":"gpt-5.3-codex","max_tokens":99,"stream":true,` + userHi + `}`, `"text":"You said: hi"`},
		"responses":         {responsesPath, `{"model":"gpt-5.3-codex","store":false,"input":"hi"}`, `"text":"You said: hi"`},
		"responses, stream": {responsesPath, `{"model":"gpt-5.3-codex","stream":true,"store":false,"input":"hi"}`, `"delta":"You said: hi"`},
		"gemini": {
			strings.Replace(geminiPath, "small", "gpt-5.3-codex", 1) + ":generateContent", `{"contents":[{"parts":[{"text":"hi"}]}]}`,
			`"text":"You said: hi"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := &vendors{wire: v.in(t), by: v.by}
			a := v.ask(tt.path, tt.body)
			require.Equal(t, http.StatusOK, a.status, a.body)
			require.Contains(t, a.body, tt.want)
			call := v.lastCall(t, "openai")
			require.Equal(t, "/v1/responses", call.Path)
			require.Equal(t, "false", string(v.asked(t, "openai")["store"]), "the vendor stores nothing")
			require.Equal(t, call.Usage.Input, a.record.GetTokens().GetInput())
			require.Equal(t, call.Usage.Output, a.record.GetTokens().GetOutput())
			require.Equal(t, call.Usage.Reasoning, a.record.GetTokens().GetReasoning())
			require.Equal(t, call.Usage.Input*1750+call.Usage.Output*14000, a.record.GetCostNanoUsd())
		})
	}
}

// A chat client sends the reasoning back, and the vendor accepts it.
func TestReasoningOfTheResponsesAPIIsKept(t *testing.T) {
	v := newVendors(t)
	a := v.ask(chatPath, `{"model":"gpt-5.3-codex","reasoning_effort":"low",`+userHi+`}`)
	require.Equal(t, http.StatusOK, a.status, a.body)
	var got struct {
		Choices []struct{ Message json.RawMessage }
	}
	require.NoError(t, json.Unmarshal([]byte(a.body), &got))
	a = v.ask(chatPath, `{"model":"gpt-5.3-codex","reasoning_effort":"low","messages":[{"role":"user","content":"hi"},`+
		string(got.Choices[0].Message)+`,{"role":"user","content":"so"}]}`)
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Contains(t, string(v.asked(t, "openai")["input"]), `"encrypted_content":"`)
}

// OpenAI has the Responses API, so its requests are forwarded unchanged, except for fields that
// the model does not accept.
func TestResponsesAreForwardedToOpenAI(t *testing.T) {
	v := newVendors(t)
	body := `{ "model":"gpt-4.1", "store":false,"input" : [{"role":"user","content":"hi"}],"truncation":"disabled" }`
	a := v.ask(responsesPath, body)
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, body, v.lastCall(t, "openai").Body)
	require.Empty(t, a.header.Get("X-Signalbox-Dropped-Params"))

	a = v.ask(responsesPath, `{"model":"gpt-5-mini","input":"hi","temperature":0.5,"store":false}`)
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, `{"model":"gpt-5-mini","input":"hi","store":false}`, v.lastCall(t, "openai").Body)
	require.Equal(t, "temperature", a.header.Get("X-Signalbox-Dropped-Params"))

	a = v.ask(responsesPath, `{"model":"gpt-5-mini","input":"hi","service_tier":"flex","store":false}`)
	require.Equal(t, http.StatusBadRequest, a.status, a.body)
	require.Contains(t, a.body, `"param":"service_tier"`)

	a = v.ask(responsesPath, `{"model":"mistral-large-2512","input":"hi","store":false}`)
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, "/v1/chat/completions", v.lastCall(t, "mistral").Path, "other providers need responses_path")
}

// An endpoint can use another API than the other endpoints of its provider.
func TestEndpointsUseTheirOwnAPI(t *testing.T) {
	v := newVendors(t)
	for model, want := range map[string]string{"only-responses": "/v1/responses", "only-chat": "/v1/chat/completions"} {
		for path, body := range map[string]string{
			chatPath: `{"model":"` + model + `",` + userHi + `}`, responsesPath: `{"model":"` + model + `","input":"hi","store":false}`,
		} {
			a := v.ask(path, body)
			require.Equal(t, http.StatusOK, a.status, a.body)
			require.Equal(t, want, v.lastCall(t, "openai").Path, "%s %s", model, path)
		}
	}
	a := v.ask(responsesPath, `{"model":"only-responses","input":"hi","unknown_field":1}`)
	require.Contains(t, a.body, "Unknown parameter: 'unknown_field'", "the request is forwarded with every field")
}

// The rules of an endpoint also apply to forwarded requests of the other protocols.
func TestForwardedRequestsFollowTheWire(t *testing.T) {
	v := newVendors(t)
	a := v.ask(messagesPath, `{"model":"claude-opus-5","temperature":0.5, "max_tokens":99,`+userHi+`}`)
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, `{"model":"claude-opus-5", "max_tokens":99,`+userHi+`}`, v.lastCall(t, "anthropic").Body)
	require.Equal(t, "temperature", a.header.Get("X-Signalbox-Dropped-Params"))

	a = v.ask(strings.Replace(geminiPath, "small", "gemini-2.5-flash", 1)+":generateContent", `{"contents":[{"parts":[{"text":"hi"}]}],"serviceTier":"flex"}`)
	require.Equal(t, http.StatusBadRequest, a.status, a.body)
	require.Contains(t, a.body, `"param":"serviceTier"`)
	require.Empty(t, v.by["google"].Calls())
}
