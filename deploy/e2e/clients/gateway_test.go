package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
)

// gateway is a Signalbox with a scripted upstream behind it and a tap in front of it.
type gateway struct {
	tap  *tap
	keys map[string]string
	// vendors and api are set if the upstreams are emulated vendors.
	vendors vendors
	api     *e2e.APIClient
}

type starter func(t *testing.T, flags ...string) *e2e.Gateway

func newGateway(t *testing.T, start starter, flags ...string) *gateway {
	upstream := scriptedtest.New(t, respondToCase)
	box := start(t, append(flags, "--config", policyFile(t, upstream.URL))...)
	g := &gateway{tap: newTap(t, box.Base), keys: createKeys(t, box, box.SignInOperator(), map[string]keySettings{
		"nested":  {"error_format": "openai"},
		"narrow":  {"models": []string{"embed"}},
		"poor":    {"budget": map[string]any{"nano_usd_per_day": 1}},
		"crowded": {"limits": map[string]any{"concurrent_requests": 1}},
		"slow":    {"limits": map[string]any{"tokens_per_minute": 1}},
	})}
	occupySlot(t, box.Base, g.keys["crowded"], upstream)
	return g
}

// occupySlot uses the only concurrency slot of a key until the test ends.
func occupySlot(t *testing.T, base, key string, upstream *scriptedtest.Upstream) {
	body := fmt.Sprintf(`{"model":"auto","messages":[{"role":"user","content":%q}]}`, marker("suite", held))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/proxy/v1/chat/completions", strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+key)
	go func() {
		if res, err := http.DefaultClient.Do(req); err == nil {
			_ = res.Body.Close()
		}
	}()
	require.Eventually(t, func() bool { return len(upstream.Received()) > 0 }, libraryTimeout, 10*time.Millisecond)
}

// held is the name of the case whose call gets no response.
const held = "held"

// policyFile disables the gateway's retries, so that the retries of the clients are
// visible, and its breakers, so that every failure of the upstream is. The providers called
// hasty and brief time out before the upstream responds: the one before the first token, the
// other as a whole. The held call of the provider called local outlasts the installation of
// all libraries. The provider called picky rejects the same fields as OpenAI.
func policyFile(t *testing.T, upstream string) string {
	doc := fmt.Sprintf(`version: 1
providers:
  local: {kind: openai, base_url: %[1]s/v1, allow_private: true, timeouts: {first_token: 1h, total: 1h}}
  hasty: {kind: openai, base_url: %[1]s/v1, allow_private: true, timeouts: {first_token: 100ms, total: 1m}}
  brief: {kind: openai, base_url: %[1]s/v1, allow_private: true, timeouts: {first_token: 1s, total: 1s}}
  picky: {kind: openai, base_url: %[1]s/v1, allow_private: true, wire: {drop_empty: true}}
models:
  small:
    endpoints: [{provider: local, model: local-s}]
    price: {input: "1.00", output: "2.00", per: 1M, effective: 2026-01-01}
    context: 8192
    capabilities: [tools, json_object, json_schema]
  hurried:
    endpoints: [{provider: hasty, model: local-s}, {provider: brief, model: local-s}]
    price: {input: "1.00", output: "2.00", per: 1M, effective: 2026-01-01}
    context: 8192
  strict:
    endpoints: [{provider: picky, model: local-s}]
    price: {input: "1.00", output: "2.00", per: 1M, effective: 2026-01-01}
    context: 8192
    capabilities: [tools]
  vendor/model-1:
    endpoints: [{provider: local, model: local-s}]
    price: {input: "1.00", output: "2.00", per: 1M, effective: 2026-01-01}
    context: 8192
  embed:
    kind: embeddings
    endpoints: [{provider: local, model: local-e}]
    price: {input: "0.10", output: "0", per: 1M, effective: 2026-01-01}
    context: 8192
defaults: {baseline: small, embedding_baseline: embed, retries: {max: 0}, breaker: {min_requests: 100000}}
routes:
  auto: {select: [{candidates: [small]}]}
  auto-embed: {kind: embeddings, select: [{target: embed}]}
`, upstream)
	path := filepath.Join(t.TempDir(), "signalbox.yaml")
	require.NoError(t, os.WriteFile(path, []byte(doc), 0o600))
	return path
}

type keySettings = map[string]any

// createKeys creates keys with these settings and waits until every proxy knows them. "" is the first
// key of the gateway.
func createKeys(t *testing.T, box *e2e.Gateway, operator *e2e.APIClient, table map[string]keySettings) map[string]string {
	keys := map[string]string{"": box.Key, "wrong": "sbx_live_wrong"}
	for name, settings := range table {
		settings["name"] = name
		var made struct{ Key string }
		status, body := operator.Call(http.MethodPost, "/keys", settings, &made)
		require.Equal(t, http.StatusCreated, status, "%s", body)
		keys[name] = made.Key
		box.AwaitKey(made.Key)
	}
	box.AwaitKey(box.Key)
	return keys
}

func (g *gateway) ask(lib library, c testCase) caseInput {
	if lib.sdk != nil {
		return g.askSDK(lib, c)
	}
	return caseInput{
		BaseURL: g.tap.url + "/proxy/v1",
		Name:    c.name, Kind: c.kind, Key: g.keys[c.key], Model: c.model, Tools: c.tools, Orphans: c.orphans, Headers: c.headers,
		Prompt: marker(lib.name, c.name),
	}
}

// marker returns the prompt of a case. The upstream selects its response by it, and the
// tap counts calls by it.
func marker(library, name string) string { return "[" + library + ":" + name + "]" }

var marked = regexp.MustCompile(`\[[^\[\]"]+:([^\[\]"]+)\]`)

// respondToCase returns the response for the case in the prompt.
func respondToCase(r scriptedtest.Received) scripted.Response {
	var body struct{ Stream bool }
	m := marked.FindSubmatch(r.Body)
	if err := json.Unmarshal(r.Body, &body); err != nil || m == nil {
		return errorResponse(http.StatusBadRequest, "no case is named", "suite")
	}
	if string(m[1]) == held {
		return scripted.Response{Ending: scripted.Hang}
	}
	i := slices.IndexFunc(cases, func(c testCase) bool { return c.name == string(m[1]) })
	switch {
	case i < 0:
		return errorResponse(http.StatusBadRequest, "no such case", "suite")
	case cases[i].lacksClientFields(r.Body):
		return errorResponse(http.StatusBadRequest, "tools or schema did not arrive", "suite")
	case cases[i].orphans && orphaned.Match(r.Body):
		return errorResponse(http.StatusBadRequest, "[] is too short - 'tools'", "invalid_request_error")
	case body.Stream:
		return cases[i].stream
	}
	return cases[i].plain
}

// orphaned matches the fields that OpenAI rejects without tools.
var orphaned = regexp.MustCompile(`"(tools|tool_choice|parallel_tool_calls|functions|stop)":`)

// lacksClientFields reports whether the body lacks a field that the client sent.
func (c testCase) lacksClientFields(body []byte) bool {
	return c.tools && !bytes.Contains(body, []byte(`"get_weather"`)) ||
		c.kind == "parse" && !bytes.Contains(body, []byte(`"json_schema"`))
}
