package catalog_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
)

func TestEmbeddedCatalog(t *testing.T) {
	c, err := catalog.Load()
	require.NoError(t, err)
	require.Regexp(t, "^[0-9a-f]{12}$", c.Version())
	for _, m := range c.Models() {
		require.NotEmpty(t, m.Prices, m.ID)
		// Beyond ten dollars a thousand tokens a slip of the unit is likelier
		// than a price.
		require.Less(t, m.Prices[0].Output, int64(10_000_000_000), m.ID)
		require.LessOrEqual(t, m.Prices[0].CacheRead, m.Prices[0].Input, m.ID)
		require.Equal(t, m.Kind == catalog.Embeddings, m.Prices[0].Output == 0, m.ID)
	}
	for _, p := range c.Providers() {
		require.Equal(t, p.Kind == "sandbox", p.BaseURL == "", p.ID)
		require.Equal(t, p.Kind == "sandbox", p.Env == "", p.ID)
	}
}

func TestSandboxFamilyDiffers(t *testing.T) {
	c, err := catalog.Load()
	require.NoError(t, err)
	small, _ := c.Model("sandbox-small")
	medium, _ := c.Model("sandbox-medium")
	large, _ := c.Model("sandbox-large")
	embed, ok := c.Model("sandbox-embed")
	require.True(t, ok)
	require.Equal(t, catalog.Embeddings, embed.Kind)
	require.True(t, small.Can(catalog.Tools) && small.Can(catalog.JSONObject))
	require.False(t, small.Can(catalog.JSONSchema))
	require.True(t, medium.Can(catalog.JSONSchema))
	require.False(t, medium.Can(catalog.Vision))
	require.True(t, large.Can(catalog.Vision) && large.Can(catalog.Reasoning))
	require.Less(t, small.Context, medium.Context)
	require.Less(t, medium.Context, large.Context)
	require.Less(t, small.Prices[0].Output, medium.Prices[0].Output)
	require.Less(t, medium.Prices[0].Output, large.Prices[0].Output)
	require.Less(t, small.Quality["general"], large.Quality["general"])
}

func TestPriceAt(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2026, 11, d, 0, 0, 0, 0, time.UTC) }
	m := catalog.Model{Prices: []catalog.Price{{Effective: day(1), Input: 1}, {Effective: day(10), Input: 2}}}
	_, ok := m.PriceAt(day(1).Add(-time.Nanosecond))
	require.False(t, ok)
	for d, want := range map[int]int64{1: 1, 9: 1, 10: 2, 20: 2} {
		p, ok := m.PriceAt(day(d))
		require.True(t, ok)
		require.Equal(t, want, p.Input, d)
	}
}

func TestCanAnswerAnyObjectWhenItKeepsToASchema(t *testing.T) {
	m := catalog.Model{Capabilities: []catalog.Capability{catalog.JSONSchema}}
	require.True(t, m.Can(catalog.JSONObject))
	require.False(t, m.Can(catalog.Tools))
}

func TestServedAt(t *testing.T) {
	c, err := catalog.Load()
	require.NoError(t, err)
	m, ok := c.ServedAt(catalog.Endpoint{Provider: "groq", Model: "openai/gpt-oss-120b"})
	require.True(t, ok)
	require.Equal(t, "gpt-oss-120b", m.ID)
	_, ok = c.ServedAt(catalog.Endpoint{Provider: "openai", Model: "openai/gpt-oss-120b"})
	require.False(t, ok)
}

const onePrice = `{"effective":"2026-01-01T00:00:00Z","input":5,"output":7}`

func document(model string) string {
	return `{"providers":[{"id":"p","kind":"openai","base_url":"https://p.example/v1","env":"P_KEY"}],"models":[` + model + `]}`
}

// A provider of a known wire format is data alone.
func TestNewProviderIsOneEntry(t *testing.T) {
	c, err := catalog.Parse([]byte(document(`{"id":"m","kind":"chat","context":9,"prices":[` + onePrice + `],"endpoints":[{"provider":"p","model":"x"}]}`)))
	require.NoError(t, err)
	m, ok := c.Model("m")
	require.True(t, ok)
	require.Equal(t, []catalog.Endpoint{{Provider: "p", Model: "x"}}, m.Endpoints)
	price, ok := m.PriceAt(time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC))
	require.True(t, ok)
	require.Equal(t, int64(5), price.CacheRead, "a cached token without a price of its own costs like any other")
	require.Equal(t, int64(5), price.CacheWrite)
}

func TestParseRefuses(t *testing.T) {
	at := `"endpoints":[{"provider":"p","model":"x"}]`
	good := `{"id":"m","kind":"chat","context":9,"prices":[` + onePrice + `],` + at + `}`
	tests := map[string]string{
		"unknown field":       document(`{"id":"m","kind":"chat","context":9,"colour":1,` + at + `}`),
		"double id":           document(good + "," + good),
		"unknown provider":    document(`{"id":"m","kind":"chat","context":9,"endpoints":[{"provider":"q","model":"x"}]}`),
		"no endpoint":         document(`{"id":"m","kind":"chat","context":9}`),
		"unknown kind":        document(`{"id":"m","kind":"paint","context":9,` + at + `}`),
		"unknown capability":  document(`{"id":"m","kind":"chat","context":9,"capabilities":["fly"],` + at + `}`),
		"price without input": document(`{"id":"m","kind":"chat","context":9,"prices":[{"effective":"2026-01-01T00:00:00Z","output":7}],` + at + `}`),
		"price below zero":    document(`{"id":"m","kind":"chat","context":9,"prices":[{"effective":"2026-01-01T00:00:00Z","input":-1,"output":7}],` + at + `}`),
		"dates out of order":  document(`{"id":"m","kind":"chat","context":9,"prices":[` + onePrice + `,` + onePrice + `],` + at + `}`),
		"two values":          document(good) + "{}",
		"double provider":     `{"providers":[{"id":"p","kind":"openai"},{"id":"p","kind":"openai"}]}`,
	}
	for name, data := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := catalog.Parse([]byte(data))
			require.Error(t, err)
		})
	}
}
