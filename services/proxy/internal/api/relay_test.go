package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

var opusAtClaude = decide.Candidate{Model: "opus", Provider: "claude"}

// The client gets every byte of a provider of its own protocol, except for the model name.
func TestARelayedStreamIsUnchanged(t *testing.T) {
	v := newVendors(t, "opus")
	res, body := v.ask(t, "auto", `,"stream":true`)
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	require.Equal(t, strings.ReplaceAll(strings.Join(anthropicEvents, ""), `"model":"up"`, `"model":"opus"`), body)
	require.Equal(t, "text/event-stream; charset=utf-8", res.Header.Get("Content-Type"))
	require.Equal(t, "opus", res.Header.Get("X-Signalbox-Model"))
	require.Equal(t, "claude", res.Header.Get("X-Signalbox-Provider"))
	require.Equal(t, res.Header.Get("X-Request-Id"), res.Header.Get("Request-Id"))
	r := v.records[0]
	require.Equal(t, ledger.OK, r.Outcome)
	require.Equal(t, catalog.Chat, r.Kind)
	require.True(t, r.Stream)
	require.Equal(t, opusAtClaude, r.Served)
	require.Equal(t, catalog.Usage{Input: 9, Output: 7}, r.Usage)
	require.False(t, r.Estimated)
	require.Equal(t, "req_up", r.Attempts[0].UpstreamID)
	require.Equal(t, catalog.ProtocolMessages, r.Question.NativeProtocol)
	require.Equal(t, "auto", r.RequestedModel)
	require.Equal(t, messagesBody("auto", `,"stream":true`), string(r.Request))
	require.Contains(t, string(r.Response), `"content":"Pin 1234."`)
}

func TestARelayedMessageIsUnchanged(t *testing.T) {
	v := newVendors(t, "opus")
	res, body := v.ask(t, "opus", "")
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	want := strings.ReplaceAll(anthropicMessage, `"model":"up"`, `"model":"opus"`)
	require.Equal(t, want, body)
	require.Equal(t, "application/json", res.Header.Get("Content-Type"))
	r := v.records[0]
	require.Equal(t, ledger.OK, r.Outcome)
	require.Equal(t, catalog.Usage{Input: 9, Output: 7}, r.Usage)
	require.Equal(t, want, string(r.Response))
}

// A secret that the events split is redacted too.
func TestTheTextOfARelayedStreamIsRedacted(t *testing.T) {
	v := newVendors(t, "opus")
	for _, stream := range []string{"", `,"stream":true`} {
		_, body := v.ask(t, "opus", stream, "X-Signalbox-Capture: redacted")
		r := v.records[len(v.records)-1]
		require.Equal(t, ledger.CaptureRedacted, r.Capture, body)
		require.Contains(t, string(r.Response), "Pin [")
		require.NotContains(t, string(r.Response), "1234")

		_, _ = v.ask(t, "opus", stream, "X-Signalbox-Capture: none")
		require.Nil(t, v.records[len(v.records)-1].Response)
	}
}

// The upstream gets the headers that select features of the protocol, whatever their values,
// and no other header of the client.
func TestHeadersOfTheProtocolAreForwarded(t *testing.T) {
	v := newVendors(t, "opus")
	res, body := v.send(t, http.MethodPost, messagesPath+"?beta=true&key=query_secret", messagesBody("opus", ""), testKey,
		"Anthropic-Version: 2027-01-01", "Anthropic-Beta: new-2027-02-02, other", "Anthropic-Beta: third", "X-Private: yes", "Cookie: a=b")
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	got := v.claude.Last()
	require.Equal(t, "/v1/messages", got.Path)
	require.Equal(t, "beta=true", got.Query)
	require.Equal(t, []string{"2027-01-01"}, got.Header["Anthropic-Version"])
	require.Equal(t, []string{"new-2027-02-02, other", "third"}, got.Header["Anthropic-Beta"])
	require.NotContains(t, got.Header, "X-Private")
	require.NotContains(t, got.Header, "Cookie")
	require.NotContains(t, got.Header, "X-Api-Key", "the client's key")

	_, _ = v.ask(t, "opus", "")
	require.Equal(t, []string{"2023-06-01"}, v.claude.Last().Header["Anthropic-Version"], "the default")
	require.Empty(t, v.claude.Last().Query)
}

// The keys of a provider are used like for chat completions.
func TestARelayedRequestTriesAnotherKey(t *testing.T) {
	claude := scriptedtest.New(t, anthropicReply)
	v := &vendors{rig: newRigOf(t, fmt.Sprintf(`
version: 1
providers: {claude: {kind: anthropic, base_url: "%s", allow_private: true, keys: [{ref: env:ONE}, {ref: env:TWO}]}}
models: {opus: {endpoints: [{provider: claude, model: up}]}}
defaults: {baseline: opus}
routes: {auto: {select: [{candidates: [opus]}]}}
`, claude.URL))}
	claude.Script(scripted.JSON(401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`))
	res, body := v.ask(t, "auto", `,"stream":true`)
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	require.Len(t, v.records[0].Attempts, 2)
	sent := claude.Received()
	require.ElementsMatch(t, []string{"secret of env:ONE", "secret of env:TWO"}, []string{sent[0].Header.Get("X-Api-Key"), sent[1].Header.Get("X-Api-Key")})
}

// Responses and Gemini are relayed to their own endpoints.
func TestOtherProtocolsAreRelayed(t *testing.T) {
	v := newVendors(t, "opus")
	res, body := v.send(t, http.MethodPost, responsesPath, messagesBody("gpt", `,"store":false`), testKey)
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	require.Equal(t, "/v1/responses", v.open.Last().Path)
	require.Equal(t, messagesBody("up", `,"store":false`), string(v.open.Last().Body))

	const contents = `{"contents":[{"parts":[{"text":"hi"}]}], "cachedContent":"x"}`
	for _, tt := range []struct{ path, upstream, query, body string }{
		{"flash:testContent", "/v1beta/models/up:generateContent", "", geminiEvent},
		{"flash:streamTestContent?alt=sse&key=sbx_test", "/v1beta/models/up:streamGenerateContent", "alt=sse", "data: " + geminiEvent + "\n\n"},
		{"a:b%2Fc:testContent", "/v1beta/models/tuned:generateContent", "", geminiEvent},
		{"a:b/c:testContent", "/v1beta/models/tuned:generateContent", "", geminiEvent},
	} {
		res, body := v.send(t, http.MethodPost, geminiPath+tt.path, contents, testKey)
		require.Equal(t, http.StatusOK, res.StatusCode, body)
		require.Equal(t, tt.body, body)
		got := v.google.Last()
		require.Equal(t, []string{tt.upstream, tt.query, contents}, []string{got.Path, got.Query, string(got.Body)})
	}
	require.Contains(t, string(v.records[2].Response), `"content":"Hello"`, "the transcript of the stream")
}
