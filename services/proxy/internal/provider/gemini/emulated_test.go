package gemini_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/testkit/emulate"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/gemini"
)

// clientResponse is a response as a client reads it.
type clientResponse struct {
	Choices []struct {
		Message json.RawMessage `json:"message"`
		Finish  string          `json:"finish_reason"`
	} `json:"choices"`
}

// sendChat makes one call, plain or as a stream, and returns the client's response.
func sendChat(t *testing.T, p *gemini.Provider, model string, stream bool, members string) (clientResponse, error) {
	t.Helper()
	body := `{"model":"auto",` + members + `}`
	if stream {
		body = `{"stream":true,` + body[1:]
	}
	r, err := requestbody.ParseChat([]byte(body))
	require.NoError(t, err)
	call := provider.Call{Request: r, UpstreamModel: model}
	if strings.HasPrefix(model, "gemini-2") {
		call.Wire = &catalog.Wire{Reasoning: catalog.ThinkingBudget, FormatExcludesTools: true}
	}
	response, err := p.CompleteChat(t.Context(), call)
	if err != nil {
		return clientResponse{}, err
	}
	options := normalize.Options{ID: "id", Model: "m", Choices: r.Choices}
	var a normalize.Response
	if response.Events != nil {
		a, err = normalize.Collect(response.Events, options)
		require.NoError(t, response.Events.Close())
	} else {
		a, err = normalize.Chat(response.Body, options)
	}
	if err != nil {
		return clientResponse{}, err
	}
	require.NotNil(t, a.Usage)
	var got clientResponse
	require.NoError(t, json.Unmarshal(a.Body, &got), "%s", a.Body)
	require.Len(t, got.Choices, r.Choices)
	return got, nil
}

func newEmulatedProvider(t *testing.T) *gemini.Provider {
	t.Helper()
	server := httptest.NewServer(emulate.Gemini(emulate.Options{Keys: []string{"a-key-of-some-length"}}))
	t.Cleanup(server.Close)
	return newProvider(t, server.URL+"/v1beta")
}

func TestConversationsWithTheEmulator(t *testing.T) {
	p := newEmulatedProvider(t)
	const tools = `,"tools":[{"type":"function","function":{"name":"weather","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}},
		{"type":"function","function":{"name":"clock","parameters":{"type":"object","properties":{}}}}]`
	for _, model := range []string{"gemini-2.5-flash", "gemini-3-pro-preview"} {
		for _, stream := range []bool{false, true} {
			t.Run(model+map[bool]string{true: " stream"}[stream], func(t *testing.T) {
				got, err := sendChat(t, p, model, stream, `"messages":[{"role":"system","content":"be brief"},{"role":"user","content":[
					{"type":"text","text":"what is it?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]}],
					"reasoning_effort":"low","max_tokens":500,"stop":["zzz"],"seed":1`)
				require.NoError(t, err)
				require.Equal(t, "stop", got.Choices[0].Finish)
				require.Contains(t, string(got.Choices[0].Message), `"reasoning_content"`)

				got, err = sendChat(t, p, model, stream, `"messages":[{"role":"user","content":"as JSON"}],"response_format":{"type":"json_schema",
					"json_schema":{"name":"n","schema":{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"integer"}},"required":["b","a"]}}}`)
				require.NoError(t, err)
				var message struct{ Content string }
				require.NoError(t, json.Unmarshal(got.Choices[0].Message, &message))
				require.True(t, json.Valid([]byte(message.Content)), message.Content)

				runToolRound(t, p, model, stream, tools)
			})
		}
	}
}

// runToolRound has two tools called at once and returns their results, as a client
// that keeps only ids, names and arguments.
func runToolRound(t *testing.T, p *gemini.Provider, model string, stream bool, tools string) {
	t.Helper()
	const question = `{"role":"user","content":"call weather and clock"}`
	got, err := sendChat(t, p, model, stream, `"messages":[`+question+`]`+tools)
	require.NoError(t, err)
	require.Equal(t, "tool_calls", got.Choices[0].Finish)
	var message struct {
		Calls []struct {
			ID       string          `json:"id"`
			Type     string          `json:"type"`
			Function json.RawMessage `json:"function"`
		} `json:"tool_calls"`
	}
	require.NoError(t, json.Unmarshal(got.Choices[0].Message, &message))
	require.Len(t, message.Calls, 2)
	calls, err := json.Marshal(message.Calls)
	require.NoError(t, err)
	results := ""
	for _, c := range message.Calls {
		results += `,{"role":"tool","tool_call_id":"` + c.ID + `","content":"fine"}`
	}
	got, err = sendChat(t, p, model, stream, `"messages":[`+question+`,{"role":"assistant","content":null,"tool_calls":`+string(calls)+`}`+results+`]`+tools)
	require.NoError(t, err)
	require.Equal(t, "stop", got.Choices[0].Finish)
}

func TestFaultsOfTheEmulator(t *testing.T) {
	p := newEmulatedProvider(t)
	for marker, want := range map[string]apperr.Code{
		"429": apperr.ProviderRateLimited, "500": apperr.ProviderUpstream, "503": apperr.ProviderOverloaded,
		"html": apperr.ProviderUpstream, "cut=40": apperr.ProviderConnection,
	} {
		for _, stream := range []bool{false, true} {
			_, err := sendChat(t, p, "gemini-3-pro-preview", stream, `"messages":[{"role":"user","content":"[[emulate:`+marker+`]]"}]`)
			require.Equal(t, want, apperr.CodeOf(err), "%s: %v", marker, err)
		}
	}
	_, err := sendChat(t, p, "gemini-3-pro-preview", true, `"messages":[{"role":"user","content":"[[emulate:error=1]]"}]`)
	require.Error(t, err)
	got, err := sendChat(t, p, "gemini-3-pro-preview", true, `"messages":[{"role":"user","content":"[[emulate:block]]"}]`)
	require.NoError(t, err)
	require.Equal(t, "content_filter", got.Choices[0].Finish)
}
