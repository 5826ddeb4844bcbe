package proxy_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/proxy"
)

// The tests in the files wire_*_test.go are named after the cases of the wire contract. Each sends
// bytes to a whole proxy over HTTP, has a scripted upstream send bytes, and compares what both sides
// received.

const (
	embedPath  = "/proxy/v1/embeddings"
	modelsPath = "/proxy/v1/models"
)

// wirePolicy has a breaker that stays closed, because the tests let one upstream fail many times in a row.
const wirePolicy = `version: 1
providers:
  up: {kind: openai, base_url: %s/v1, allow_private: true, timeouts: {first_token: 20s, idle: 20s, total: 30s}}
models:
  small:
    endpoints: [{provider: up, model: up-small}]
    price: {input: "1.00", cache_read: "0.50", output: "2.00", per: 1M, effective: 2026-01-01}
    context: 1000000
    capabilities: [tools, json_object, json_schema, vision, audio, files]
  meta/llama-3:
    endpoints: [{provider: up, model: llama}]
    price: {input: "1.00", output: "2.00", per: 1M, effective: 2026-01-01}
    context: 8192
  embed:
    kind: embeddings
    endpoints: [{provider: up, model: up-embed}]
    price: {input: "0.10", output: "0", per: 1M, effective: 2026-01-01}
    context: 8192
defaults:
  baseline: small
  embedding_baseline: embed
  retries: {max: 0}
  breaker: {min_requests: 1000}
  logging: {redact: [{name: customer-no, pattern: 'KD-\d{6}'}]}
routes:
  auto: {select: [{candidates: [small]}]}
  auto-embed: {kind: embeddings, select: [{target: embed}]}
`

// wire is a proxy in front of a scripted upstream.
type wire struct {
	*rig
	up *scriptedtest.Upstream
}

// newWire starts a wire. These tests run in parallel, because they mostly wait for records.
func newWire(t *testing.T, edits ...func(*proxy.Config)) *wire {
	t.Helper()
	up := scriptedtest.New(t, scriptedtest.OpenAI)
	return &wire{rig: newRigOf(t, fmt.Sprintf(wirePolicy, up.URL), edits...), up: up}
}

// newRigOf starts a proxy with a policy.
func newRigOf(t *testing.T, document string, edits ...func(*proxy.Config)) *rig {
	t.Helper()
	t.Parallel()
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte(document), cat)
	require.NoError(t, err)
	g := &rig{
		t: t, keyauth: newKeyauthServer(), router: &routerServer{policy: p},
		cfg: proxy.Config{Data: t.TempDir(), DecideTimeout: patience, MaxBody: 8 << 20, DrainLimit: time.Second},
	}
	g.key = g.keyauth.add(&keyauthv1.KeySettings{Name: "test"})
	for _, edit := range edits {
		edit(&g.cfg)
	}
	g.start()
	return g
}

// in returns the same wire for a subtest.
func (w *wire) in(t *testing.T) *wire {
	g := *w.rig
	g.t = t
	return &wire{rig: &g, up: w.up}
}

// answered is a response with its record.
type answered struct {
	status int
	header http.Header
	// body has the request's id and the time replaced by ID and 1.
	body   string
	record *recordv1.RequestRecord
}

var createdNow = regexp.MustCompile(`"created":1[789][0-9]{8}\b`)

// ask sends a request and waits for its record.
func (w *wire) ask(path, body string, headers ...string) answered {
	w.t.Helper()
	method := http.MethodPost
	if strings.HasPrefix(path, modelsPath) && body == "" {
		method = http.MethodGet
	}
	res, text := w.call(method, path, body, headers...)
	id := res.Header.Get("X-Request-Id")
	text = strings.ReplaceAll(shortenCallIDs(text, id), id, "ID")
	a := answered{status: res.StatusCode, header: res.Header, body: createdNow.ReplaceAllString(text, `"created":1`)}
	if method == http.MethodPost {
		a.record = w.record()
		require.Equal(w.t, res.Header.Get("X-Request-Id"), uuid.Must(uuid.FromBytes(a.record.GetId())).String())
	}
	return a
}

// shortenCallIDs writes the ids that the proxy makes for tool calls as call_ID_0, call_ID_1 and so on.
// These ids contain the end of the request's id.
func shortenCallIDs(text, requestID string) string {
	digits := strings.ReplaceAll(requestID, "-", "")
	if len(digits) < 28 {
		return text
	}
	return strings.ReplaceAll(text, "call_"+digits[len(digits)-28:]+"_", "call_ID_")
}

// told is ask with the given response of the upstream.
func (w *wire) told(answer scripted.Response, body string) answered {
	w.t.Helper()
	w.up.Script(answer)
	path := chatPath
	if strings.Contains(body, `"input"`) {
		path = embedPath
	}
	before := len(w.up.Received())
	a := w.ask(path, body)
	require.Len(w.t, w.up.Received(), before+1, "one attempt")
	return a
}

// refused checks the status, code and headers of an error.
func (a answered) refused(t *testing.T, status int, code string) {
	t.Helper()
	require.Equal(t, status, a.status, a.body)
	require.Equal(t, "application/json", a.header.Get("Content-Type"))
	require.Equal(t, code, a.header.Get("X-Error-Code"), a.body)
	require.Regexp(t, "^(true|false)$", a.header.Get("X-Should-Retry"))
	require.Regexp(t, `^\{"error":"[^"]`, a.body)
	require.Contains(t, a.body, `"code":"`+code+`"`)
	require.Contains(t, a.body, `"request_id":"ID"`)
}

const userHi = `"messages":[{"role":"user","content":"hi"}]`

// plain and stream return requests with additional fields, each with a leading comma.
func plain(more string) string  { return `{"model":"small",` + userHi + more + `}` }
func stream(more string) string { return `{"model":"small","stream":true,` + userHi + more + `}` }
