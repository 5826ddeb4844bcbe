package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
)

const testProviders = `[
 {"id": "sandbox", "kind": "sandbox"},
 {"id": "openai", "kind": "openai", "base_url": "https://a.example/v1", "env": "A"},
 {"id": "groq", "kind": "openai", "base_url": "https://b.example/v1", "env": "B", "wire": {"roles": {"developer": "system"}}},
 {"id": "google", "kind": "gemini", "base_url": "https://c.example/v1", "env": "C"},
 {"id": "azure", "kind": "openai", "base_url": "https://e.example/v1", "env": "E", "wire": {"values": {"reasoning_effort": {"low": "high", "max": "high"}}}},
 {"id": "openrouter", "kind": "openai", "base_url": "https://d.example/v1", "env": "D"}]`

// table has rows, each with its differences from a plain one.
func table(rows ...string) string {
	for i, r := range rows {
		rows[i] = `{"kind":"chat","context_window":9000,"max_output":99000,"status":"active","price_confidence":"high",` +
			`"sources":{"prices":{"base":"pi","scheduled":"gp"}},` + r + `}`
	}
	return `{"models":[` + strings.Join(rows, ",") + `]}`
}

func converted(t *testing.T, reference string) (*catalog.Catalog, string, error) {
	dir := t.TempDir()
	providers, rows := filepath.Join(dir, "p.json"), filepath.Join(dir, "r.json")
	require.NoError(t, os.WriteFile(providers, []byte(testProviders), 0o600))
	require.NoError(t, os.WriteFile(rows, []byte(reference), 0o600))
	var out, notes bytes.Buffer
	if err := run(providers, rows, &out, &notes); err != nil {
		return nil, "", err
	}
	var again bytes.Buffer
	require.NoError(t, run(providers, rows, &again, &bytes.Buffer{}))
	require.Equal(t, out.String(), again.String(), "the same table gives the same bytes")
	c, err := catalog.Parse([]byte(testProviders), out.Bytes())
	require.NoError(t, err)
	return c, notes.String(), nil
}

const plainPrice = `"prices":{"input":1000000,"output":2000000}`

func TestTheSameWeightsAreOneModel(t *testing.T) {
	c, notes, err := converted(t, table(
		`"id":"groq/o/x","provider":"groq","upstream_model":"o/x","family":"x","capabilities":{"tools":true,"vision":false,"json_schema":null},"prices":{"input":900000,"output":1800000}`,
		`"id":"bedrock/x","provider":"bedrock","upstream_model":"x","family":"x",`+plainPrice,
		`"id":"openai/x-1","provider":"openai","upstream_model":"x-1","family":"x","aliases":["x-1-2026"],"capabilities":{"tools":true,"vision":true},`+plainPrice,
	))
	require.NoError(t, err)
	require.Contains(t, notes, "no adapter for the provider: bedrock/x")
	m, ok := c.FindByName("x-1-2026")
	require.True(t, ok)
	require.Equal(t, "x-1", m.ID, "its maker's name")
	require.Equal(t, "x", m.Family)
	require.Equal(t, int64(9000), m.MaxOutput, "nothing writes more than it holds")
	require.Equal(t, "openai", m.Endpoints[0].Provider, "the maker comes first")
	require.Nil(t, m.Endpoints[0].Prices)
	groq := m.Endpoints[1]
	require.Equal(t, int64(900_000), groq.Prices[0].Input)
	require.Equal(t, []catalog.Capability{catalog.Vision}, groq.Lacks)
	require.Equal(t, []catalog.Capability{catalog.JSONSchema, catalog.Files, catalog.Reasoning}, m.Unknown)
	_, ok = c.Model("sandbox-small")
	require.True(t, ok)
}

func TestPricesToComeAndTiersKeepTheShareOfCaching(t *testing.T) {
	c, _, err := converted(t, table(`"id":"openai/x","provider":"openai","upstream_model":"x","family":"x","prices":{"input":1000000,"output":4000000,`+
		`"cached_input":100000,"cache_write_5m":1250000,"cache_write_1h":2000000,"tiers":[{"above_input_tokens":5000,"input":2000000,"output":6000000}],`+
		`"scheduled":[{"effective_from":"2027-01-01","input":3000000,"output":8000000}]}`))
	require.NoError(t, err)
	m, _ := c.Model("x")
	require.Equal(t, []catalog.Tier{{Above: 5000, Input: 2_000_000, CacheRead: 200_000, CacheWrite: 2_500_000, CacheWrite1h: 4_000_000, Output: 6_000_000}}, m.Prices[0].Tiers)
	require.Equal(t, int64(300_000), m.Prices[1].CacheRead)
	require.Equal(t, "gp", m.Prices[1].Source)
}

// A price on which sources disagree needs a ruling; otherwise the conversion fails.
func TestUndecidedConflictsStopIt(t *testing.T) {
	_, _, err := converted(t, table(`"id":"openai/x","provider":"openai","upstream_model":"x","family":"x",`+plainPrice+
		`,"disagreements":[{"field":"input","values_pico_usd_per_token":{"pi":1000000,"ll":2000000}}]`))
	require.ErrorContains(t, err, "add a ruling")

	c, _, err := converted(t, table(`"id":"openrouter/moonshotai/kimi-k3","provider":"openrouter","upstream_model":"moonshotai/kimi-k3","family":"kimi-k3",`+
		`"prices":{"input":192000,"output":15000000},"disagreements":[{"field":"input","values_pico_usd_per_token":{"pi":192000,"mdn":3000000}}]`))
	require.NoError(t, err)
	m, _ := c.Model("kimi-k3")
	require.Equal(t, int64(3_000_000), m.Prices[0].Input, "by the ruling")
	require.Equal(t, "mdn", m.Prices[0].Source)
	require.Contains(t, m.Endpoints[0].Note, "mistake")
	require.Equal(t, []catalog.Conflict{{Field: "input", Values: map[string]int64{"pi": 192_000, "mdn": 3_000_000}}}, m.Endpoints[0].Conflicts)
}

func TestEffortsBecomeTheNearest(t *testing.T) {
	c, _, err := converted(t, table(
		`"id":"groq/q","provider":"groq","upstream_model":"q","family":"q","capabilities":{"reasoning":true},`+
			`"reasoning_efforts":{"off":"none","minimal":null,"low":null,"medium":null,"high":"default","xhigh":null},"wire_quirks":{"supportsDeveloperRole":false},`+plainPrice,
		`"id":"google/g","provider":"google","upstream_model":"g","family":"g","capabilities":{"reasoning":true},`+
			`"reasoning_options":[{"type":"budget_tokens","min":128,"max":32768}],`+plainPrice,
		`"id":"openai/r","provider":"openai","upstream_model":"r","family":"r","capabilities":{"reasoning":true,"temperature":false},`+plainPrice,
		`"id":"openai/p","provider":"openai","upstream_model":"p","family":"p","capabilities":{"reasoning":false},`+plainPrice,
	))
	require.NoError(t, err)
	q, _ := c.Model("q")
	require.Equal(t, []string{"none", "high"}, q.Efforts)
	require.Equal(t, &catalog.Wire{Values: map[string]map[string]string{"reasoning_effort": {
		"minimal": "default", "low": "default", "medium": "default", "high": "default", "xhigh": "default", "max": "default",
	}}}, q.Endpoints[0].Wire, "without what the provider's entry says already")
	g, _ := c.Model("g")
	require.Equal(t, catalog.ThinkingBudget, g.Endpoints[0].Wire.Reasoning)
	require.Equal(t, catalog.Limit{Min: "128", Max: "32768"}, g.Endpoints[0].Wire.Limits["thinking_budget"])
	r, _ := c.Model("r")
	require.Contains(t, r.Endpoints[0].Wire.Drop, "temperature")
	require.Contains(t, r.Endpoints[0].Wire.Reject, "stop")
	p, _ := c.Model("p")
	require.Equal(t, []string{"reasoning_effort"}, p.Endpoints[0].Wire.Reject)
}

// Efforts that are missing in Azure's rows come from OpenAI's rows. An effort that the provider's
// entry replaces, but the endpoint accepts, maps to itself.
func TestEffortsAtAzureAreOpenAIsWhereNothingIsSaid(t *testing.T) {
	c, _, err := converted(t, table(
		`"id":"azure/r","provider":"azure","upstream_model":"r","family":"r","capabilities":{"reasoning":true},"reasoning_efforts":{"off":null},`+plainPrice,
		`"id":"openai/r","provider":"openai","upstream_model":"r","family":"r","capabilities":{"reasoning":true},`+
			`"reasoning_efforts":{"off":"none","minimal":null,"low":"low","medium":"medium","high":"high","xhigh":"xhigh","max":null},`+plainPrice,
	))
	require.NoError(t, err)
	r, _ := c.Model("r")
	require.Equal(t, "azure", r.Endpoints[1].Provider)
	require.Equal(t, map[string]string{"none": "low", "minimal": "low", "max": "xhigh", "low": "low"}, r.Endpoints[1].Wire.Values["reasoning_effort"])
}
