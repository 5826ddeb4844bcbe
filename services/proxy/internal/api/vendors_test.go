package api_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	"github.com/signalbox/signalbox/services/proxy/internal/api"
)

// vendorPolicy has one model at a provider of each protocol. first and second are the
// candidates of the route auto.
const vendorPolicy = `
version: 1
providers:
  claude: {kind: anthropic, base_url: "%s", allow_private: true}
  open: {kind: openai, base_url: "%s/v1", allow_private: true, wire: {http: {responses_path: /responses}}}
  google: {kind: gemini, base_url: "%s/v1beta", allow_private: true}
models:
  opus: {endpoints: [{provider: claude, model: up}], context: 200000, price: {input: "1.00", output: "2.00", per: 1M, effective: 2026-01-01}}
  gpt: {endpoints: [{provider: open, model: up}], context: 200000, price: {input: "1.00", output: "2.00", per: 1M, effective: 2026-01-01}}
  flash: {endpoints: [{provider: google, model: up}], context: 200000}
  "a:b/c": {endpoints: [{provider: google, model: tuned}], context: 200000}
defaults: {baseline: opus, unlisted: deny, retries: {max: 1}, logging: {redact: [{name: digits, pattern: "[0-9]{4}"}]}}
routes:
  auto: {select: [{candidates: [%s]}]}
  only-open: {select: [{candidates: [gpt]}]}
`

// vendors is an edge with one upstream of each protocol.
type vendors struct {
	*rig
	claude, open, google *scriptedtest.Upstream
	url                  string
	// document is the policy.
	document string
}

func newVendors(t *testing.T, candidates string) *vendors {
	t.Helper()
	v := &vendors{claude: scriptedtest.New(t, anthropicReply), open: scriptedtest.New(t, scriptedtest.OpenAI), google: scriptedtest.New(t, geminiReply)}
	v.document = fmt.Sprintf(vendorPolicy, v.claude.URL, v.open.URL, v.google.URL, candidates)
	v.rig = newRigOf(t, v.document)
	v.deps.CaptureLimit = 64 << 10
	return v
}

// start starts the server. The test may change deps before.
func (v *vendors) start(t *testing.T) {
	t.Helper()
	server := httptest.NewServer(api.New(v.deps))
	t.Cleanup(server.Close)
	v.url = server.URL
}

// send sends a request with headers written as "Name: value", and returns the response and its
// body.
func (v *vendors) send(t *testing.T, method, path, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	if v.url == "" {
		v.start(t)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, v.url+path, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	for _, line := range headers {
		if name, value, ok := strings.Cut(line, ": "); ok {
			r.Header.Add(name, value)
		}
	}
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res, string(text)
}

const testKey = "x-api-key: sbx_test"

// ask sends a request of the Messages protocol.
func (v *vendors) ask(t *testing.T, model, more string, headers ...string) (*http.Response, string) {
	t.Helper()
	return v.send(t, http.MethodPost, messagesPath, messagesBody(model, more), append(headers, testKey)...)
}

func messagesBody(model, more string) string {
	return `{"model":"` + model + `","max_tokens":100,"messages":[{"role":"user","content":"hi"}]` + more + `}`
}

// anthropicEvents is a stream of the Messages protocol. A number is split between two events.
var anthropicEvents = []string{
	"event: message_start\n" + `data: {"type":"message_start","message":{"id":"msg_up","type":"message","role":"assistant","model":"up","content":[],"usage":{"input_tokens":9,"output_tokens":1}}}` + "\n\n",
	"event: content_block_start\n" + `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n",
	"event: ping\n" + `data: {"type":"ping"}` + "\n\n",
	"event: content_block_delta\n" + `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Pin 12"},"new_field":{"a": 1}}` + "\n\n",
	"event: content_block_delta\n" + `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"34."}}` + "\n\n",
	"event: content_block_stop\n" + `data: {"type":"content_block_stop","index":0}` + "\n\n",
	"event: message_delta\n" + `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}` + "\n\n",
	"event: message_stop\n" + `data: {"type":"message_stop"}` + "\n\n",
}

const anthropicMessage = `{"id":"msg_up","type":"message","role":"assistant","model":"up","content":[{"type":"text","text":"Pin 1234."}],"new_field": 1,"usage":{"input_tokens":9,"output_tokens":7}}`

func anthropicReply(r scriptedtest.Received) scripted.Response {
	reply := scripted.JSON(200, anthropicMessage)
	if strings.Contains(string(r.Body), `"stream":true`) {
		reply = scripted.Stream(anthropicEvents...)
	}
	return reply.WithHeader("Request-Id", "req_up")
}

const geminiEvent = `{"candidates":[{"content":{"parts":[{"text":"Hello"}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3}}`

func geminiReply(r scriptedtest.Received) scripted.Response {
	if strings.Contains(r.Path, ":stream") {
		return scripted.Events(geminiEvent)
	}
	return scripted.JSON(200, geminiEvent)
}
