package policy_test

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// loaded is read once, because it never changes and many tests use it.
var loaded = sync.OnceValues(catalog.Load)

func load(t testing.TB) *catalog.Catalog {
	c, err := loaded()
	require.NoError(t, err)
	return c
}

func compile(t testing.TB, document string) *policy.Policy {
	p, err := policy.Compile([]byte(document), load(t))
	require.NoError(t, err)
	return p
}

func TestCompileTakesWhatIsWrittenOverTheCatalog(t *testing.T) {
	document, err := os.ReadFile("testdata/full.yaml")
	require.NoError(t, err)
	p := compile(t, string(document))

	openai, ok := p.Provider("openai")
	require.True(t, ok)
	vendor, _ := load(t).Provider("openai")
	require.Equal(t, policy.Provider{
		Name: "openai", Kind: "openai", BaseURL: "https://api.openai.com/v1", HTTP2: true, Wire: vendor.Wire,
		Keys:     []policy.CredentialRef{{Ref: "env:OPENAI_API_KEY"}},
		Timeouts: policy.Timeouts{Connect: 3 * time.Second, FirstToken: 20 * time.Second, Idle: time.Minute, Total: 10 * time.Minute},
	}, *openai)
	local, _ := p.Provider("local")
	require.Equal(t, "http://127.0.0.1:8000/v1", local.BaseURL)
	require.Empty(t, local.Keys)
	require.Equal(t, []string{"eu", "onprem"}, local.Tags)

	large, ok := p.Model("large")
	require.True(t, ok)
	known, _ := load(t).Model("gpt-6.1-sol")
	require.Equal(t, known.Prices, large.Prices, "a renamed model keeps the catalog's values of its endpoint")
	require.Equal(t, known.Context, large.Context)

	small, _ := p.Model("small")
	require.Len(t, small.Endpoints, 1)
	require.EqualExportedValues(t, policy.Endpoint{Provider: "local", UpstreamModel: "qwen-s"}, small.Endpoints[0])
	require.Equal(t, []catalog.Price{
		{Effective: time.Unix(0, 0).UTC(), Input: 60_000, CacheRead: 60_000, CacheWrite: 60_000, Output: 200_000},
		{Effective: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), Input: 50_000, CacheRead: 5_000, CacheWrite: 50_000, Output: 150_000},
	}, small.Prices)
	require.Equal(t, map[string]int64{"general": 740, "code": 700}, small.Quality)
	require.Equal(t, []catalog.Capability{catalog.JSONSchema, catalog.Tools}, small.Capabilities)

	require.Equal(t, policy.Defaults{
		Baseline: "large", EmbeddingBaseline: "embed", Retries: policy.Retries{Max: 1, On: policy.DefaultRetries().On}, Breaker: policy.DefaultBreaker(),
		Logging: policy.Logging{Redact: []policy.Pattern{{Name: "customer-no", Pattern: `KD-\d{6}`}, {Name: "project", Pattern: `(?i)project (lark|wren)`}}},
	}, p.Defaults)
	auto, ok := p.Route("auto", catalog.Chat)
	require.True(t, ok)
	require.Equal(t, []policy.Rule{{Name: "cheap-first", Strategy: policy.Ordered, Candidates: []string{"small", "large"}}}, auto.Select)
	require.Equal(t, []string{"large"}, auto.OnFailure)
	embed, ok := p.Route("auto", catalog.Embeddings)
	require.True(t, ok, "on embeddings auto means auto-embed")
	require.Equal(t, "auto-embed", embed.Name)
	_, ok = p.Route("auto-embed", catalog.Chat)
	require.False(t, ok)
}

func TestCatalogSuppliesModelsAndProviders(t *testing.T) {
	p := compile(t, "version: 1\nmodels: {sandbox-small: {}, gpt-oss-120b: {}}")
	require.Len(t, p.Providers, 2)
	m, _ := p.Model("gpt-oss-120b")
	require.Equal(t, []string{"groq openai/gpt-oss-120b"}, places(m), "one place is enough when no provider is written")

	p = compile(t, "version: 1\nproviders: {openrouter: {}}\nmodels: {gpt-oss-120b: {}}")
	m, _ = p.Model("gpt-oss-120b")
	require.Equal(t, []string{"openrouter openai/gpt-oss-120b"}, places(m))
	_, ok := p.Provider("groq")
	require.False(t, ok, "a provider that is not written is not used while another one is")
}

// places lists a model's endpoints, each as provider and upstream name.
func places(m *policy.Model) []string {
	var all []string
	for _, e := range m.Endpoints {
		all = append(all, e.Provider+" "+e.UpstreamModel)
	}
	return all
}

func TestCredentialStaysWithItsAddress(t *testing.T) {
	p := compile(t, "version: 1\nproviders: {openai: {base_url: https://elsewhere.example/v1}, groq: {keys: []}, xai: {}}")
	moved, _ := p.Provider("openai")
	require.Empty(t, moved.Keys)
	none, _ := p.Provider("groq")
	require.Empty(t, none.Keys)
	usual, _ := p.Provider("xai")
	require.Equal(t, []policy.CredentialRef{{Ref: "env:XAI_API_KEY"}}, usual.Keys)
}

func TestKeysHaveWeights(t *testing.T) {
	p := compile(t, "version: 1\nproviders: {xai: {keys: [{ref: env:A, weight: 3}, {ref: env:B}]}}")
	xai, _ := p.Provider("xai")
	require.Equal(t, []policy.CredentialRef{{Ref: "env:A", Weight: 3}, {Ref: "env:B"}}, xai.Keys)
}

func TestHTTP2GoesWithTLS(t *testing.T) {
	p := compile(t, `version: 1
providers:
  groq: {}
  xai: {http2: false}
  local: {kind: openai, base_url: "http://127.0.0.1:8000/v1", allow_private: true}
  sandbox: {}
`)
	for name, want := range map[string]bool{"groq": true, "xai": false, "local": false, "sandbox": false} {
		got, _ := p.Provider(name)
		require.Equal(t, want, got.HTTP2, name)
	}
	p = compile(t, "version: 1\nmodels: {gpt-oss-120b: {}}")
	require.True(t, p.Providers[0].HTTP2, "of the catalog too")
}

func TestProxies(t *testing.T) {
	for written, want := range map[string]string{
		"env": "env", "http://10.0.0.1:3128": "http://10.0.0.1:3128", "https://proxy.example/": "https://proxy.example",
		"socks5://[::1]:1080": "socks5://[::1]:1080",
	} {
		p := compile(t, "version: 1\nproviders: {xai: {proxy: '"+written+"'}}")
		xai, _ := p.Provider("xai")
		require.Equal(t, want, xai.Proxy)
		require.False(t, xai.HTTP2, "calls through a proxy use HTTP/1.1")
		again, err := policy.Decode(p.Canonical())
		require.NoError(t, err)
		require.Equal(t, p, again)
	}
	p := compile(t, "version: 1\nproviders: {xai: {}}")
	require.NotContains(t, string(p.Canonical()), `"proxy"`)
}

func TestSameMeaningSameVersion(t *testing.T) {
	a := compile(t, "version: 1\nmodels:\n  sandbox-small: {}\n  sandbox-large:\n    capabilities: [tools, vision]\n")
	b := compile(t, "# a comment\nmodels: {sandbox-large: {capabilities: [vision, tools]}, sandbox-small: }\nversion: 1\n")
	require.Equal(t, string(a.Canonical()), string(b.Canonical()))
	require.Equal(t, a.Version(), b.Version())
	require.Regexp(t, "^[0-9a-f]{64}$", a.Version())
	c := compile(t, "version: 1\nmodels: {sandbox-small: {}}")
	require.NotEqual(t, a.Version(), c.Version())
}

func TestDecode(t *testing.T) {
	document, err := os.ReadFile("testdata/full.yaml")
	require.NoError(t, err)
	p := compile(t, string(document))
	q, err := policy.Decode(p.Canonical())
	require.NoError(t, err)
	require.Equal(t, p, q)

	text := string(p.Canonical())
	tests := map[string]string{
		"cut off":              text[:len(text)/2],
		"unknown field":        strings.Replace(text, `{"schema"`, `{"colour":1,"schema"`, 1),
		"other encoding":       strings.Replace(text, `{"schema"`, `{ "schema"`, 1),
		"more behind it":       text + "{}",
		"a later schema":       strings.Replace(text, `"schema":1`, `"schema":2`, 1),
		"endpoint to nowhere":  strings.Replace(text, `{"provider":"local"`, `{"provider":"lost"`, 1),
		"no pattern":           strings.Replace(text, `KD-\\d{6}`, `KD-(\\d{6}`, 1),
		"candidate to nowhere": strings.Replace(text, `"candidates":["small"`, `"candidates":["lost"`, 1),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := policy.Decode([]byte(text))
			require.Error(t, err)
		})
	}
}
