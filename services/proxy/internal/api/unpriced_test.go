package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// The responses below use tools that the vendors charge for.
const (
	claudeSearch = `{"id":"msg_up","type":"message","role":"assistant","model":"up","content":[{"type":"server_tool_use","id":"s","name":"code_execution","input":{}},{"type":"text","text":"Hi"}],` +
		`"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":7,"speed":"fast","server_tool_use":{"web_search_requests":2}}}`
	chatSearch   = `{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}],"service_tier":"priority","usage":{"prompt_tokens":9,"completion_tokens":7,"num_search_queries":1}}`
	openSearch   = `{"id":"resp_up","object":"response","status":"completed","model":"up","output":[{"type":"web_search_call","id":"w"}],"usage":{"input_tokens":9,"output_tokens":7}}`
	googleSearch = `{"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP","groundingMetadata":{"webSearchQueries":["a","b"]}}],` +
		`"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":7,"candidatesTokensDetails":[{"modality":"IMAGE","tokenCount":5}]}}`
)

// A record names what the upstream charges and the catalog has no price for, whether the
// response is forwarded or translated.
func TestUnpricedItemsAreNamed(t *testing.T) {
	const chatPath, claudePath, openPath = "/proxy/v1/chat/completions", "/proxy/v1/messages", "/proxy/v1/responses"
	const input = `{"model":"gpt","store":false,"input":"hi"}`
	for _, tt := range []struct {
		name, path, body, answer string
		want                     []string
	}{
		{"messages, forwarded", claudePath, messagesBody("opus", ""), claudeSearch, []string{"code_execution", "speed", "web_search"}},
		{"messages, translated", chatPath, messagesBody("opus", ""), claudeSearch, []string{"web_search", "speed"}},
		{"chat, forwarded", chatPath, messagesBody("gpt", ""), chatSearch, []string{"web_search", "service_tier"}},
		{"chat, translated", claudePath, messagesBody("gpt", ""), chatSearch, []string{"web_search", "service_tier"}},
		{"responses, forwarded", openPath, input, openSearch, []string{"web_search"}},
		{"gemini, forwarded", "/proxy/v1beta/models/flash:generateContent", `{"contents":[{"parts":[{"text":"hi"}]}]}`, googleSearch, []string{"image_output_tokens", "google_search"}},
		{"gemini, translated", chatPath, messagesBody("flash", ""), googleSearch, []string{"image_output_tokens", "google_search"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := newVendors(t, "opus")
			for _, up := range []*scriptedtest.Upstream{v.claude, v.open, v.google} {
				up.Script(scripted.JSON(200, tt.answer))
			}
			res, body := v.send(t, http.MethodPost, tt.path, tt.body, testKey)
			require.Equal(t, http.StatusOK, res.StatusCode, body)
			r := v.records[0]
			require.Equal(t, ledger.OK, r.Outcome)
			require.Equal(t, tt.want, r.Attempts[0].Unpriced)
			require.EqualValues(t, 7, r.Usage.Output)
			require.False(t, r.Estimated, "the tokens are known")
		})
	}
}

// An unknown beta feature may have a price of its own. Only upstreams of the protocol get it.
func TestUnknownBetasAreNamed(t *testing.T) {
	v := newVendors(t, "opus")
	for header, want := range map[string][]string{
		"interleaved-thinking-2025-05-14,effort-2025-11-24": nil,
		"new-2027-02-02, context-1m-2025-08-07":             {"new-2027-02-02"},
	} {
		for _, stream := range []string{"", `,"stream":true`} {
			res, body := v.send(t, http.MethodPost, "/proxy/v1/messages", messagesBody("opus", stream), testKey, "Anthropic-Beta: "+header)
			require.Equal(t, http.StatusOK, res.StatusCode, body)
			require.Equal(t, header, v.claude.Last().Header.Get("Anthropic-Beta"), "unknown features pass")
			require.Equal(t, want, v.records[len(v.records)-1].Attempts[0].Unpriced)
		}
		_, body := v.send(t, http.MethodPost, "/proxy/v1/messages", strings.Replace(messagesBody("gpt", ""), "opus", "gpt", 1), testKey, "Anthropic-Beta: "+header)
		require.Empty(t, v.records[len(v.records)-1].Attempts[0].Unpriced, body)
	}
}
