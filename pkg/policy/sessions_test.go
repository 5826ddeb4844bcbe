package policy_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

func TestCachesOfProviders(t *testing.T) {
	p := compile(t, `version: 1
providers:
  anthropic: {}
  groq: {cache: {mode: none}}
  deepseek: {cache: {}}
  xai: {cache: {ttl: 10m}}
  sandbox: {}
models: {claude-haiku-5-5: {}, sandbox-small: {}}
routes: {auto: {select: [{candidates: [claude-haiku-5-5, sandbox-small]}]}}
`)
	same, err := policy.Decode(p.Canonical())
	require.NoError(t, err)
	for _, p := range []*policy.Policy{p, same} {
		for name, want := range map[string]catalog.Cache{
			"anthropic": {Mode: catalog.CacheMarked, TTLSeconds: 300}, "groq": {Mode: catalog.CacheNone, TTLSeconds: 7200},
			"deepseek": {Mode: catalog.CacheAutomatic, TTLSeconds: 3600}, "xai": {Mode: catalog.CacheAutomatic, TTLSeconds: 600},
			"sandbox": {Mode: catalog.CacheNone, TTLSeconds: 300},
		} {
			provider, ok := p.Provider(name)
			require.True(t, ok)
			require.Equal(t, want, provider.PromptCache(), name)
		}
		m, _ := p.Model("claude-haiku-5-5")
		require.Equal(t, catalog.CacheMarked, m.Endpoints[0].Cache().Mode, "endpoints know it without a lookup")
	}
}

func TestIssuerState(t *testing.T) {
	const document = "version: 1\nmodels: {sandbox-small: {}}\nroutes: {auto: {%sselect: [{target: sandbox-small}]}}\n"
	for written, strips := range map[string]bool{"": false, "issuer_state: keep, ": false, "issuer_state: strip, ": true} {
		p := compile(t, fmt.Sprintf(document, written))
		same, err := policy.Decode(p.Canonical())
		require.NoError(t, err)
		route, _ := same.Route("auto", catalog.Chat)
		require.Equal(t, strips, route.StripsIssuerState(), written)
	}
	usual, written := compile(t, fmt.Sprintf(document, "")), compile(t, fmt.Sprintf(document, "issuer_state: keep, "))
	require.Equal(t, usual.Version(), written.Version(), "the default is not another policy")
	require.False(t, (*policy.Route)(nil).StripsIssuerState())
}

func TestProblemsOfSessions(t *testing.T) {
	for give, want := range map[string]string{
		"providers: {xai: {cache: {mode: always}}}":                                                                 "2:33 providers.xai.cache.mode BAD_VALUE",
		"providers: {xai: {cache: {ttl: 5}}}":                                                                       "2:32 providers.xai.cache.ttl BAD_VALUE",
		"providers: {xai: {cache: {ttl: 500ms}}}":                                                                   "2:32 providers.xai.cache.ttl BAD_VALUE",
		"providers: {xai: {cache: {lifetime: 5m}}}":                                                                 "2:27 providers.xai.cache.lifetime UNKNOWN_FIELD",
		"providers: {xai: {cache: 5m}}":                                                                             "2:26 providers.xai.cache WRONG_TYPE",
		models + "routes: {auto: {issuer_state: drop, select: [{target: sandbox-small}]}}":                          "3:31 routes.auto.issuer_state BAD_VALUE",
		models + "routes: {auto-embed: {kind: embeddings, issuer_state: strip, select: [{target: sandbox-embed}]}}": "3:55 routes.auto-embed.issuer_state BAD_VALUE",
	} {
		require.Equal(t, []string{want}, problems(t, "version: 1\n"+give), give)
	}
}
