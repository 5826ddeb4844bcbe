package catalog_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
)

func shipped(t testing.TB) *catalog.Catalog {
	c, err := catalog.Load()
	require.NoError(t, err)
	return c
}

// The shipped catalog is made by a tool and read by people; this is what must
// hold whatever it is made of.
func TestShippedCatalog(t *testing.T) {
	c := shipped(t)
	require.Regexp(t, "^[0-9a-f]{12}$", c.Version())
	require.Greater(t, len(c.Models()), 100)
	made := time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC)
	for _, m := range c.Models() {
		require.NotEmpty(t, m.Prices, m.ID)
		ours := m.Endpoints[0].Provider == "sandbox"
		require.Equal(t, !ours, m.Status != "", m.ID)
		require.Equal(t, m.Kind == catalog.Chat, m.Quality["general"] > 0, m.ID)
		for _, e := range m.Endpoints {
			prices := e.Prices
			if prices == nil {
				prices = m.Prices
			}
			_, now := catalog.InForce(prices, made)
			require.True(t, now, "%s at %s has no price on the day it was made", m.ID, e.Provider)
			require.Equal(t, !ours, e.Confidence != "", m.ID)
			for _, p := range prices {
				_, known := c.Source(p.Source)
				require.Equal(t, !ours, known, "%s at %s: every price has a source", m.ID, e.Provider)
			}
			require.True(t, e.Note != "" || !disputed(e), "%s at %s: sources differ and nothing is said", m.ID, e.Provider)
		}
	}
}

// disputed tells whether sources differ on what is charged.
func disputed(e catalog.Endpoint) bool {
	return slices.ContainsFunc(e.Conflicts, func(c catalog.Conflict) bool {
		return slices.Contains([]string{"input", "output", "cached_input", "cache_write_5m"}, c.Field)
	})
}

func TestShippedProvidersServeSomething(t *testing.T) {
	c := shipped(t)
	served := map[string]int{}
	for _, m := range c.Models() {
		for _, e := range m.Endpoints {
			served[e.Provider]++
		}
	}
	// These serve whatever their operator put there.
	own := []string{"ollama", "vllm", "llamacpp", "lmstudio", "tei"}
	for _, p := range c.Providers() {
		require.Equal(t, slices.Contains(own, p.ID), served[p.ID] == 0, p.ID)
		require.Equal(t, p.Kind == "sandbox" || p.ID == "azure", p.BaseURL == "", p.ID)
	}
}

func TestShippedPricesKeepTheirHistory(t *testing.T) {
	c := shipped(t)
	day := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }
	flash, _ := c.Model("gemini-3.8-flash")
	pro, _ := c.Model("deepseek-v4-pro")
	sol, _ := c.Model("gpt-5.6-sol")
	for _, tt := range []struct {
		prices []catalog.Price
		at     time.Time
		input  int64
	}{
		{flash.Prices, day(2026, 12, 31), 750_000},
		{flash.Prices, day(2027, 1, 1), 1_500_000},
		{pro.Prices, day(2026, 9, 1), 435_000},
		{pro.Prices, day(2026, 10, 1), 660_000},
		{pro.Prices, day(2026, 11, 15), 1_320_000},
		{sol.Prices, day(2026, 9, 1), 5_000_000},
		{sol.Prices, day(2026, 11, 15), 4_000_000},
	} {
		p, ok := catalog.InForce(tt.prices, tt.at)
		require.True(t, ok)
		require.Equal(t, tt.input, p.Input, tt.at)
	}
}

func TestShippedFacts(t *testing.T) {
	c := shipped(t)
	oss, _ := c.Model("gpt-oss-120b")
	require.Greater(t, len(oss.Endpoints), 4, "the same weights are one model, wherever they are sold")
	sonnet, ok := c.Named("claude-sonnet-4-5-20250929")
	require.True(t, ok)
	require.Equal(t, catalog.Lifecycle{Status: catalog.StatusDeprecated, Released: "2025-09-29", Retires: "2026-11-30", Replacement: "claude-sonnet-5-5"}, sonnet.Lifecycle)
	require.Equal(t, int64(6_000_000), sonnet.Prices[0].CacheWrite1h)
	require.Equal(t, int64(200_000), sonnet.Prices[0].Tiers[0].Above)
	flash, _ := c.Named("deepseek-v4.1-flash")
	require.Equal(t, "deepseek-flash", flash.ID, "a model has its maker's name")
	for _, name := range []string{"together/deepseek-ai/DeepSeek-V4.1-Flash", "deepseek-ai/DeepSeek-V4.1-Flash"} {
		m, _ := c.Named(name)
		require.Equal(t, flash.ID, m.ID)
	}
	luna, _ := c.Model("gpt-6-luna")
	require.Contains(t, luna.Unknown, catalog.Files)
	require.False(t, luna.Can(catalog.Files), "what is not known cannot be relied on")
	_, ok = c.Model("gpt-5.5-pro")
	require.False(t, ok, "no adapter reaches it")
}
