package catalog_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
)

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

func TestInForce(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2026, 11, d, 0, 0, 0, 0, time.UTC) }
	prices := []catalog.Price{{Effective: day(1), Input: 1}, {Effective: day(10), Input: 2}}
	_, ok := catalog.PriceInForce(prices, day(1).Add(-time.Nanosecond))
	require.False(t, ok)
	for d, want := range map[int]int64{1: 1, 9: 1, 10: 2, 20: 2} {
		p, ok := catalog.PriceInForce(prices, day(d))
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
	m, at, ok := c.FindEndpoint("groq", "openai/gpt-oss-120b")
	require.True(t, ok)
	require.Equal(t, "gpt-oss-120b", m.ID)
	require.Equal(t, "groq", at.Provider)
	_, _, ok = c.FindEndpoint("openai", "openai/gpt-oss-120b")
	require.False(t, ok)
}

const onePrice = `{"effective":"2026-01-01T00:00:00Z","input":500000,"output":700000}`

const oneProvider = `[{"id":"p","kind":"openai","base_url":"https://p.example/v1","env":"P_KEY"}]`

func parse(models string) (*catalog.Catalog, error) {
	return catalog.Parse([]byte(oneProvider), []byte(`{"models":[`+models+`]}`))
}

// A provider with a known wire format needs only data.
func TestNewProviderIsOneEntry(t *testing.T) {
	c, err := parse(`{"id":"m","kind":"chat","context":9,"prices":[` + onePrice + `],"endpoints":[{"provider":"p","model":"x"}]}`)
	require.NoError(t, err)
	m, ok := c.Model("m")
	require.True(t, ok)
	require.Equal(t, []catalog.Endpoint{{Provider: "p", Model: "x"}}, m.Endpoints)
	price, ok := catalog.PriceInForce(m.Prices, time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC))
	require.True(t, ok)
	require.Equal(t, int64(500_000), price.CacheRead, "a cached token without a price of its own costs like any other")
	require.Equal(t, int64(500_000), price.CacheWrite)
}

func TestParseRefuses(t *testing.T) {
	at := `"endpoints":[{"provider":"p","model":"x"}]`
	good := `{"id":"m","kind":"chat","context":9,"prices":[` + onePrice + `],` + at + `}`
	tests := map[string]string{
		"unknown field":       `{"id":"m","kind":"chat","context":9,"colour":1,` + at + `}`,
		"double id":           good + "," + good,
		"unknown provider":    `{"id":"m","kind":"chat","context":9,"endpoints":[{"provider":"q","model":"x"}]}`,
		"no endpoint":         `{"id":"m","kind":"chat","context":9}`,
		"unknown kind":        `{"id":"m","kind":"paint","context":9,` + at + `}`,
		"unknown capability":  `{"id":"m","kind":"chat","context":9,"capabilities":["fly"],` + at + `}`,
		"price without input": `{"id":"m","kind":"chat","context":9,"prices":[{"effective":"2026-01-01T00:00:00Z","output":7}],` + at + `}`,
		"price below zero":    `{"id":"m","kind":"chat","context":9,"prices":[{"effective":"2026-01-01T00:00:00Z","input":-1,"output":7}],` + at + `}`,
		"dates out of order":  `{"id":"m","kind":"chat","context":9,"prices":[` + onePrice + `,` + onePrice + `],` + at + `}`,
		"two values":          good + "]}{",
	}
	for name, data := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := parse(data)
			require.Error(t, err)
		})
	}
	_, err := catalog.Parse([]byte(`[{"id":"p","kind":"openai"},{"id":"p","kind":"openai"}]`), []byte("{}"))
	require.Error(t, err)
}
