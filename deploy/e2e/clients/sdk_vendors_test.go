package clients

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e"
	"github.com/signalbox/signalbox/pkg/testkit/emulate"
)

// vendor is an emulated vendor: the path of its API, its name in policies and the model that
// the cases use. The models are those that check the most: they reject a tool call without
// its thinking.
type vendor struct {
	base, provider, model string
	start                 func(emulate.Options) *emulate.Server
}

var vendorsByName = map[string]vendor{
	"anthropic": {"/v1", "anthropic", "claude-sonnet-4-5", emulate.Anthropic},
	"openai":    {"/v1", "openai", "gpt-5.4-mini", emulate.OpenAI},
	"google":    {"/v1beta", "google", "gemini-3-flash-preview", emulate.Gemini},
}

// vendors are running vendors by name.
type vendors map[string]*emulate.Server

// callsWith returns the calls that contain a text, oldest first.
func (v vendors) callsWith(name, text string) []emulate.Entry {
	return slices.DeleteFunc(v[name].Calls(), func(e emulate.Entry) bool { return !strings.Contains(e.Body, text) })
}

// maxBody is smaller than usual, so that a case can exceed it.
const maxBody = 64 << 10

// newVendorGateway starts a Signalbox over emulated vendors.
func newVendorGateway(t *testing.T) *gateway {
	g := &gateway{vendors: vendors{}}
	mux := http.NewServeMux()
	for name, v := range vendorsByName {
		g.vendors[name] = v.start(emulate.Options{})
		mux.Handle("/"+name+"/", http.StripPrefix("/"+name, g.vendors[name]))
	}
	upstream := httptest.NewServer(mux)
	t.Cleanup(upstream.Close)
	box := e2e.Start(t, "--config", vendorPolicy(t, upstream.URL), "--max-body", fmt.Sprint(maxBody))
	g.tap, g.api = newTap(t, box.Base), box.SignInOperator()
	g.keys = createKeys(t, box, g.api, map[string]keySettings{
		"embedder": {"scopes": []string{"embeddings", "models"}},
		"poor":     {"budget": map[string]any{"nano_usd_per_day": 1}},
		"slow":     {"limits": map[string]any{"tokens_per_minute": 1}},
	})
	return g
}

// vendorPolicy disables retries and breakers for the reasons that policyFile gives.
func vendorPolicy(t *testing.T, url string) string {
	var providers, models strings.Builder
	for _, name := range slices.Sorted(maps.Keys(vendorsByName)) {
		v := vendorsByName[name]
		_, _ = fmt.Fprintf(&providers, "  %s: {base_url: %s/%s%s, allow_private: true, keys: [{ref: env:UPSTREAM_SECRET}]}\n", v.provider, url, name, v.base)
		_, _ = fmt.Fprintf(&models, "  %s: {price: {input: \"1.00\", output: \"2.00\", per: 1M, effective: 2026-01-01}}\n", v.model)
	}
	baseline := vendorsByName["anthropic"].model
	doc := fmt.Sprintf(`version: 1
providers:
%smodels:
%sdefaults: {baseline: %s, retries: {max: 0}, breaker: {min_requests: 100000}}
routes:
  auto: {select: [{candidates: [%s]}]}
`, &providers, &models, baseline, baseline)
	path := filepath.Join(t.TempDir(), "signalbox.yaml")
	require.NoError(t, os.WriteFile(path, []byte(doc), 0o600))
	return path
}
