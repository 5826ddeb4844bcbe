package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
)

func TestCacheOfEachKind(t *testing.T) {
	for kind, want := range map[string]catalog.Cache{
		"openai": {Mode: catalog.CacheAutomatic, TTLSeconds: 300}, "gemini": {Mode: catalog.CacheAutomatic, TTLSeconds: 300},
		"anthropic": {Mode: catalog.CacheMarked, TTLSeconds: 300}, "sandbox": {Mode: catalog.CacheNone, TTLSeconds: 300},
	} {
		require.Equal(t, want, catalog.DefaultCache(kind), kind)
	}
	cat, err := catalog.Load()
	require.NoError(t, err)
	groq, _ := cat.Provider("groq")
	require.Equal(t, catalog.Cache{Mode: catalog.CacheAutomatic, TTLSeconds: 7200}, groq.Cache.Or(catalog.DefaultCache(groq.Kind)))
	xai, _ := cat.Provider("xai")
	require.Equal(t, catalog.DefaultCache("openai"), xai.Cache.Or(catalog.DefaultCache(xai.Kind)))
}

func TestWhatAProviderCaches(t *testing.T) {
	for mode, want := range map[catalog.CacheMode][2]bool{
		catalog.CacheAutomatic: {true, true}, catalog.CacheMarked: {false, true}, catalog.CacheNone: {false, false},
	} {
		c := catalog.Cache{Mode: mode}
		require.Equal(t, want, [2]bool{c.Caches(false), c.Caches(true)}, mode)
	}
}

func TestAFaultyCacheIsReported(t *testing.T) {
	for _, cache := range []string{`{"mode": "sometimes"}`, `{"ttl_seconds": -1}`, `{"ttl_seconds": 1000000}`} {
		_, err := catalog.Parse([]byte(`[{"id": "a", "kind": "openai", "cache": `+cache+`}]`), []byte(`{"sources": [], "models": []}`))
		require.ErrorContains(t, err, `provider "a": cache:`, cache)
	}
}
