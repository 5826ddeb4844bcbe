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
	"github.com/signalbox/signalbox/pkg/scripted/scriptedtest"
)

// gateway is a signalbox before a scripted upstream, with a tap before it.
type gateway struct {
	tap  *tap
	keys map[string]string
}

type starter func(t *testing.T, flags ...string) *e2e.Gateway

func newGateway(t *testing.T, start starter, flags ...string) *gateway {
	upstream := scriptedtest.New(t, play)
	box := start(t, append(flags, "--config", policyFile(t, upstream.URL))...)
	g := &gateway{tap: newTap(t, box.Base), keys: makeKeys(t, box)}
	crowd(t, box.Base, g.keys["crowded"], upstream)
	return g
}

// crowd takes the only place of a key until the test ends.
func crowd(t *testing.T, base, key string, upstream *scripted.Upstream) {
	body := fmt.Sprintf(`{"model":"auto","messages":[{"role":"user","content":%q}]}`, marker("suite", held))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/proxy/v1/chat/completions", strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+key)
	go func() {
		if res, err := http.DefaultClient.Do(req); err == nil {
			_ = res.Body.Close()
		}
	}()
	require.Eventually(t, func() bool { return len(upstream.Received()) > 0 }, patience, 10*time.Millisecond)
}

// held is the case of a call that is not answered.
const held = "held"

// policyFile has no retries of ours, so that those of the clients are seen. A
// provider called hasty gives up before the upstream is ready.
func policyFile(t *testing.T, upstream string) string {
	doc := fmt.Sprintf(`version: 1
providers:
  local: {kind: openai, base_url: %[1]s/v1, allow_private: true}
  hasty: {kind: openai, base_url: %[1]s/v1, allow_private: true, timeouts: {first_token: 100ms, total: 1s}}
models:
  small:
    endpoints: [{provider: local, model: local-s}]
    price: {input: "1.00", output: "2.00", per: 1M, effective: 2026-01-01}
    context: 8192
    capabilities: [tools, json_object, json_schema]
  hurried:
    endpoints: [{provider: hasty, model: local-s}]
    price: {input: "1.00", output: "2.00", per: 1M, effective: 2026-01-01}
    context: 8192
  vendor/model-1:
    endpoints: [{provider: local, model: local-s}]
    price: {input: "1.00", output: "2.00", per: 1M, effective: 2026-01-01}
    context: 8192
  embed:
    kind: embeddings
    endpoints: [{provider: local, model: local-e}]
    price: {input: "0.10", output: "0", per: 1M, effective: 2026-01-01}
    context: 8192
defaults: {baseline: small, embedding_baseline: embed, retries: {max: 0}}
routes:
  auto: {select: [{candidates: [small]}]}
  auto-embed: {kind: embeddings, select: [{target: embed}]}
`, upstream)
	path := filepath.Join(t.TempDir(), "signalbox.yaml")
	require.NoError(t, os.WriteFile(path, []byte(doc), 0o600))
	return path
}

// makeKeys makes the keys that cases name.
func makeKeys(t *testing.T, box *e2e.Gateway) map[string]string {
	operator := box.SignInOperator()
	keys := map[string]string{"": box.Key, "wrong": "sbx_live_wrong"}
	for name, settings := range map[string]map[string]any{
		"nested":  {"error_format": "openai"},
		"narrow":  {"models": []string{"embed"}},
		"poor":    {"budget": map[string]any{"nano_usd_per_day": 1}},
		"crowded": {"limits": map[string]any{"concurrent_requests": 1}},
		"slow":    {"limits": map[string]any{"tokens_per_minute": 1}},
	} {
		settings["name"] = name
		var made struct{ Key string }
		status, body := operator.Call(http.MethodPost, "/keys", settings, &made)
		require.Equal(t, http.StatusCreated, status, "%s", body)
		keys[name] = made.Key
		settle(t, box.Base, made.Key)
	}
	return keys
}

// settle waits until a new key is known at the edge: a crowd of first calls on
// a slow machine would see some of them refused for the moment, and tried again.
func settle(t *testing.T, base, key string) {
	require.Eventually(t, func() bool {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/proxy/v1/models", nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+key)
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		return res.Body.Close() == nil && res.StatusCode == http.StatusOK
	}, patience, 10*time.Millisecond)
}

func (g *gateway) ask(lib library, c testCase) ask {
	return ask{
		BaseURL: g.tap.url + "/proxy/v1",
		Name:    c.name, Kind: c.kind, Key: g.keys[c.key], Model: c.model, Tools: c.tools, Headers: c.headers,
		Prompt: marker(lib.name, c.name),
	}
}

// marker is the prompt of a case: by it the upstream knows what to answer, and
// the tap what to count.
func marker(library, name string) string { return "[" + library + ":" + name + "]" }

var marked = regexp.MustCompile(`\[[^\[\]"]+:([^\[\]"]+)\]`)

// play answers what the case in the prompt wants.
func play(r scripted.Received) scripted.Answer {
	var body struct{ Stream bool }
	m := marked.FindSubmatch(r.Body)
	if err := json.Unmarshal(r.Body, &body); err != nil || m == nil {
		return refusal(http.StatusBadRequest, "no case is named", "suite")
	}
	if string(m[1]) == held {
		return scripted.Answer{Ending: scripted.Hang}
	}
	i := slices.IndexFunc(cases, func(c testCase) bool { return c.name == string(m[1]) })
	switch {
	case i < 0:
		return refusal(http.StatusBadRequest, "no such case", "suite")
	case cases[i].lost(r.Body):
		return refusal(http.StatusBadRequest, "tools or schema did not arrive", "suite")
	case body.Stream:
		return cases[i].stream
	}
	return cases[i].plain
}

// lost is whether the body lacks what the client has put in.
func (c testCase) lost(body []byte) bool {
	return c.tools && !bytes.Contains(body, []byte(`"get_weather"`)) ||
		c.kind == "parse" && !bytes.Contains(body, []byte(`"json_schema"`))
}
