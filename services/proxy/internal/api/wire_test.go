package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
)

// Two unknown providers, defined in YAML only: one supports few parameters, the other all.
const twoProviders = `
version: 1
providers:
  narrow:
    kind: openai
    base_url: %s/v1
    allow_private: true
    wire:
      drop: [store, "messages[].name"]
      refuse: [logit_bias]
      rename: {max_completion_tokens: max_tokens}
      roles: {developer: system}
  wide: {kind: openai, base_url: %s/v1, allow_private: true, wire: {rename: {max_tokens: max_completion_tokens}}}
models:
  small: {endpoints: [{provider: narrow, model: s, wire: {drop: [top_p]}}], context: 100000, capabilities: [tools]}
  large: {endpoints: [{provider: wide, model: l}], context: 200000, capabilities: [tools, json_schema]}
defaults: {baseline: large, retries: {max: 1}}
routes: {auto: {require: [{capabilities: from_request}], select: [{candidates: [small, large]}], on_failure: [large]}}
`

type pair struct {
	*rig
	narrow, wide *scriptedtest.Upstream
}

func newPair(t *testing.T) pair {
	t.Helper()
	p := pair{narrow: scriptedtest.New(t, scriptedtest.OpenAI), wide: scriptedtest.New(t, scriptedtest.OpenAI)}
	p.rig = newRigOf(t, fmt.Sprintf(twoProviders, p.narrow.URL, p.wide.URL))
	return p
}

// ask sends a chat request with additional fields and returns the response and its body.
func (p pair) ask(t *testing.T, model, more string) (*http.Response, string) {
	t.Helper()
	res, stop := p.post(t, `{"model":"`+model+`","messages":[{"role":"developer","content":"be brief"},{"role":"user","name":"ann","content":"hi"}]`+more+`}`)
	defer stop()
	return res, all(t, res)
}

func refusal(t *testing.T, body string) (e struct {
	Error   string
	Code    apperr.Code
	Details map[string]any
},
) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(body), &e), body)
	return e
}

// W-02, W-03: one candidate does not support a role and a name, so it gets adapted ones. The other
// candidate gets the request unchanged. The dropped fields are named.
func TestTheUpstreamGetsSupportedFields(t *testing.T) {
	p := newPair(t)
	for _, stream := range []string{"", `,"stream":true`} {
		res, body := p.ask(t, "small", `,"max_completion_tokens":50,"store":true,"top_p":0.5`+stream)
		require.Equal(t, http.StatusOK, res.StatusCode, body)
		require.Equal(t, "messages[].name,store,top_p", res.Header.Get("X-Signalbox-Dropped-Params"))
		require.Equal(t, []string{"messages[].name", "store", "top_p"}, p.records[len(p.records)-1].Attempts[0].Dropped)
	}
	require.Equal(t, `{"model":"s","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hi"}],"max_tokens":50}`,
		string(p.narrow.Received()[0].Body))

	res, body := p.ask(t, "large", `,"max_tokens":50,"store":true`)
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	require.NotContains(t, res.Header, "X-Signalbox-Dropped-Params")
	require.Equal(t, `{"model":"l","messages":[{"role":"developer","content":"be brief"},{"role":"user","name":"ann","content":"hi"}],"max_completion_tokens":50,"store":true}`,
		string(p.wide.Received()[0].Body))
}

// W-06, and a field that only the candidate itself rejects.
func TestUnsupportedFeaturesAreNeverDropped(t *testing.T) {
	p := newPair(t)
	for name, field := range map[string]string{
		"response_format": `,"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{}}}`,
		"logit_bias":      `,"logit_bias":{"50256":-100}`,
	} {
		res, body := p.ask(t, "auto", field)
		require.Equal(t, http.StatusOK, res.StatusCode, body)
		require.Equal(t, "large", res.Header.Get("X-Signalbox-Model"))

		res, body = p.ask(t, "small", field)
		require.Equal(t, http.StatusBadRequest, res.StatusCode, body)
		e := refusal(t, body)
		require.Equal(t, apperr.UnsupportedParameter, e.Code)
		require.Equal(t, name, e.Details["param"])
	}
	require.Empty(t, p.narrow.Received())
}

// W-47: the gateway's own credential is invalid.
func TestOwnCredentialRefused(t *testing.T) {
	p := newPair(t)
	bad := scripted.Text(401, "application/json", `{"error":{"message":"Incorrect API key provided: sk-secret-1234","code":"invalid_api_key"}}`)
	p.narrow.Script(bad)
	res, body := p.ask(t, "auto", "")
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	require.Equal(t, "large", res.Header.Get("X-Signalbox-Model"))

	p.narrow.Script(bad)
	res, body = p.ask(t, "small", "")
	require.Equal(t, http.StatusBadGateway, res.StatusCode)
	require.Equal(t, apperr.ProviderAuth, refusal(t, body).Code)
	require.Equal(t, "false", res.Header.Get("X-Should-Retry"))
	require.NotContains(t, body, "1234")
}

// W-49: the request exceeds the model's context window.
func TestContextTooSmall(t *testing.T) {
	p := newPair(t)
	long := scripted.Text(400, "application/json", `{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum","type":"invalid_request_error"}}`)
	p.narrow.Script(long)
	res, body := p.ask(t, "auto", "")
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	require.Equal(t, "large", res.Header.Get("X-Signalbox-Model"))

	p.narrow.Script(long)
	res, body = p.ask(t, "small", "")
	require.Equal(t, http.StatusBadRequest, res.StatusCode)
	e := refusal(t, body)
	require.Equal(t, apperr.ContextLengthExceeded, e.Code)
	require.Contains(t, e.Error, "context_length_exceeded")
	require.Contains(t, e.Error, "maximum context length")
	require.EqualValues(t, 200000, e.Details["limit"])
	require.EqualValues(t, 210000, e.Details["requested"])
}

// The counts that an upstream reports are in the record.
func TestReportedUsageIsRecorded(t *testing.T) {
	p := newPair(t)
	p.wide.Script(scripted.Text(200, "application/json", `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],`+
		`"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":18,"prompt_tokens_details":{"cached_tokens":4},"cost":0.00014}}`))
	res, body := p.ask(t, "large", "")
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	a := p.records[0].Attempts[0]
	require.EqualValues(t, 3, a.UsageDifference)
	require.EqualValues(t, 140_000, *a.ReportedNanoUSD)

	p.wide.Script(scripted.Text(200, "text/event-stream", `data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}`+"\n\n"+
		`data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":14,"cost_in_usd_ticks":20}}`+"\n\ndata: [DONE]\n\n"))
	res, body = p.ask(t, "large", `,"stream":true`)
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	a = p.records[1].Attempts[0]
	require.EqualValues(t, -1, a.UsageDifference)
	require.EqualValues(t, 2, *a.ReportedNanoUSD)
}
