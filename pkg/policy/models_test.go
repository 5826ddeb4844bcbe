package policy_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

const ossAt = "version: 1\nproviders: {groq: {}, cerebras: {}}\nmodels:\n  gpt-oss-120b: "

func TestPlacesKeepTheirOwnTerms(t *testing.T) {
	p := compile(t, ossAt+"{}")
	m, _ := p.Model("gpt-oss-120b")
	require.Equal(t, []string{"groq openai/gpt-oss-120b", "cerebras gpt-oss-120b"}, places(m))
	for provider, want := range map[string]int64{"groq": 150_000, "": 150_000, "cerebras": 350_000} {
		price, ok := m.PriceAt(provider, today)
		require.True(t, ok)
		require.Equal(t, want, price.Input, provider)
	}
	_, ok := m.PriceAt("together", today)
	require.False(t, ok, "it is not served there")
	fast, _ := m.EndpointAt("cerebras")
	require.Equal(t, int64(40_960), m.EndpointMaxOutput(fast))
	usual, _ := m.EndpointAt("groq")
	require.Equal(t, int64(65_536), m.EndpointMaxOutput(usual))
	require.True(t, m.EndpointSupports(fast, catalog.Choices))
	require.False(t, m.EndpointSupports(usual, catalog.Choices), "an endpoint lacks the capability of a field that it rejects")
}

func TestWhatIsWrittenHoldsAtAllPlaces(t *testing.T) {
	p := compile(t, ossAt+`{price: {input: "1", output: "2"}, context: 5000, max_output: 600, capabilities: [tools]}`)
	m, _ := p.Model("gpt-oss-120b")
	for i := range m.Endpoints {
		e := &m.Endpoints[i]
		price, _ := m.PriceAt(e.Provider, today)
		require.Equal(t, int64(1_000_000), price.Input)
		require.Equal(t, int64(5000), m.EndpointContext(e))
		require.Equal(t, int64(600), m.EndpointMaxOutput(e))
		require.True(t, m.EndpointSupports(e, catalog.Tools))
		require.False(t, m.EndpointSupports(e, catalog.JSONSchema))
	}
}

func TestAPlaceHasTheLastWord(t *testing.T) {
	p := compile(t, `version: 1
providers: {groq: {}, mine: {kind: openai, base_url: "http://127.0.0.1:1/v1", allow_private: true}}
models:
  oss:
    price: {input: "1", output: "2"}
    endpoints:
      - {provider: groq, model: openai/gpt-oss-120b}
      - {provider: mine, model: x, price: {input: "0.01", output: "0.02"}, context: 9000, max_output: 800, lacks: [tools]}
`)
	m, _ := p.Model("oss")
	require.Empty(t, m.Aliases, "the catalog's other names are of the catalog's model")
	mine, _ := m.EndpointAt("mine")
	price, _ := m.PriceAt("mine", today)
	require.Equal(t, int64(10_000), price.Input)
	require.Equal(t, int64(9000), m.EndpointContext(mine))
	require.Equal(t, int64(800), m.EndpointMaxOutput(mine))
	require.False(t, m.EndpointSupports(mine, catalog.Tools))
	require.True(t, m.EndpointSupports(mine, catalog.JSONSchema))
	groq, _ := m.EndpointAt("groq")
	require.True(t, m.EndpointSupports(groq, catalog.Tools))
}

// An endpoint that serves another catalog model has that model's terms.
func TestAnotherModelUnderTheSameName(t *testing.T) {
	p := compile(t, `version: 1
providers: {groq: {}, openai: {}}
models: {best: {endpoints: [{provider: openai, model: gpt-6.1-sol}, {provider: groq, model: llama-3.1-8b-instant}]}}
`)
	m, _ := p.Model("best")
	small, _ := m.EndpointAt("groq")
	known, _ := load(t).Model("llama-3.1-8b-instruct")
	require.Equal(t, known.Context, m.EndpointContext(small))
	price, _ := m.PriceAt("groq", today)
	require.Equal(t, known.Prices[0].Input, price.Input)
	require.False(t, m.EndpointSupports(small, catalog.Vision))
	require.True(t, m.EndpointSupports(small, catalog.Tools))
}

func TestCapabilitiesAreChangedOrReplaced(t *testing.T) {
	for written, want := range map[string][]catalog.Capability{
		"[-tools, +files]": {"files", "json_object", "json_schema", "reasoning", "vision"},
		"[tools]":          {"tools"},
		"[]":               nil,
	} {
		p := compile(t, "version: 1\nproviders: {openai: {}}\nmodels: {gpt-6-luna: {capabilities: "+written+"}}")
		m, _ := p.Model("gpt-6-luna")
		require.Equal(t, want, m.Capabilities, written)
		require.NotContains(t, m.Unknown, catalog.Files, written)
	}
}

func TestPricesHaveTiersAndHours(t *testing.T) {
	p := compile(t, `version: 1
models:
  sandbox-small:
    price: {input: "3", output: "15", cache_read: "0.3", cache_write: "3.75", cache_write_1h: "6", tiers: [{above: 200000, input: "6", output: "22.5"}]}
`)
	m, _ := p.Model("sandbox-small")
	require.Equal(t, []catalog.Price{{
		Effective: time.Unix(0, 0).UTC(), Input: 3_000_000, CacheRead: 300_000, CacheWrite: 3_750_000, CacheWrite1h: 6_000_000, Output: 15_000_000,
		Tiers: []catalog.Tier{{Above: 200_000, Input: 6_000_000, CacheRead: 6_000_000, CacheWrite: 6_000_000, Output: 22_500_000}},
	}}, m.Prices)
	same, err := policy.Decode(p.Canonical())
	require.NoError(t, err)
	require.Equal(t, p, same)
}

func TestUnlistedModelsAreServedByName(t *testing.T) {
	document := "version: 1\nproviders: {groq: {}, openai: {base_url: https://eu.example/v1}}\nmodels: {gpt-6-luna: {}, mine: {aliases: [gpt-4o, gpt-4.1-2025-04-14], endpoints: [{provider: groq, model: x}]}}\n" +
		"routes: {gpt-5: {select: [{target: mine}]}}\n"
	p := compile(t, document)
	luna, _ := p.Model("gpt-6-luna")
	require.False(t, luna.Unlisted)
	oss, ok := p.Model("gpt-oss-120b")
	require.True(t, ok && oss.Unlisted)
	require.Equal(t, []string{"groq openai/gpt-oss-120b"}, places(oss), "only where the document has a provider")
	for _, name := range []string{"claude-opus-5-5", "sandbox-small", "gpt-4o", "gpt-5"} {
		_, ok := p.Model(name)
		require.False(t, ok, name)
	}
	for _, name := range []string{"gpt-4o", "gpt-4.1-2025-04-14"} {
		mine, _ := p.ModelByAlias(name)
		require.Equal(t, "mine", mine.ID, "a written alias comes before the catalog")
	}
	dated, ok := p.ModelByAlias("gpt-5.4-2026-03-05")
	require.True(t, ok)
	require.Equal(t, "gpt-5.4", dated.ID)

	p = compile(t, document+"defaults: {unlisted: deny}\n")
	require.Len(t, p.Models, 2)
	_, ok = p.ModelByAlias("gpt-5.4-2026-03-05")
	require.False(t, ok)
}

// A price is compared with the catalog's. A unit mistake is rejected unless unusual is set; a
// price of 0 always passes.
func TestWrittenPricesAreComparedWithTheCatalogs(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	compile := func(model string) error {
		_, err := policy.Compile([]byte("version: 1\nproviders: {openai: {}, acme: {kind: openai, base_url: 'https://acme.example/v1'}}\n"+
			"models: {"+model+"}\ndefaults: {baseline: gpt-4o-mini}\nroutes: {auto: {select: [{candidates: [gpt-4o-mini]}]}}\n"), cat)
		return err
	}
	for give, ok := range map[string]bool{
		`gpt-4o-mini: {price: {input: "150", output: "600"}}`:                                                                false,
		`gpt-4o-mini: {price: {input: "0.0015", output: "0.006"}}`:                                                           false,
		`gpt-4o-mini: {price: {input: "0.00015", output: "0.0006", per: 1K}}`:                                                true,
		`gpt-4o-mini: {price: {input: "1.5", output: "6"}}`:                                                                  true,
		`gpt-4o-mini: {price: {input: "0", output: "0"}}`:                                                                    true,
		`gpt-4o-mini: {price: {input: "150", output: "600", unusual: true}}`:                                                 true,
		`gpt-4o-mini: {price: {input: "150000", output: "600000", unusual: true}}`:                                           false,
		`gpt-4o-mini: {endpoints: [{provider: openai, model: gpt-4o-mini, price: {input: "150", output: "600"}}]}`:           false,
		`gpt-4o-mini: {endpoints: [{provider: acme, model: x, price: {input: "150", output: "600"}}]}`:                       false,
		`gpt-4o-mini: {}, mine: {endpoints: [{provider: openai, model: gpt-4o-mini}], price: {input: "150", output: "600"}}`: false,
		`gpt-4o-mini: {}, mine: {endpoints: [{provider: acme, model: unheard-of}], price: {input: "150", output: "600"}}`:    true,
	} {
		err := compile(give)
		if ok {
			require.NoError(t, err, give)
			continue
		}
		require.ErrorContains(t, err, policy.CodeBadPrice, give)
	}
	require.ErrorContains(t, compile(`gpt-4o-mini: {price: {input: "150", output: "600"}}`), "unusual: true")
}

func TestAMissingAmountNamesTheTier(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	_, err = policy.Compile([]byte("version: 1\nmodels: {sandbox-small: {price: {output: \"2\", tiers: [{above: 9, input: \"2\"}]}}}"), cat)
	require.ErrorContains(t, err, `"input" is missing in the price`)
	require.ErrorContains(t, err, `"output" is missing in the tier`)
}

func TestAModelIsLikeACatalogModel(t *testing.T) {
	p := compile(t, `version: 1
providers: {eu: {kind: openai, base_url: "https://eu.example.com/v1"}}
models:
  mine: {like: gpt-4o, endpoints: [{provider: eu, model: deployment-7}]}
`)
	m, _ := p.Model("mine")
	cat, err := catalog.Load()
	require.NoError(t, err)
	known, _ := cat.Model("gpt-4o")
	require.Equal(t, known.Context, m.Context)
	require.ElementsMatch(t, known.Capabilities, m.Capabilities)
	require.Equal(t, known.Quality, m.Quality)
	require.Empty(t, m.Aliases)
	price, ok := m.PriceAt("eu", today)
	require.True(t, ok)
	want, _ := catalog.PriceInForce(known.Prices, today)
	require.Equal(t, want.Input, price.Input)
	require.Equal(t, []string{"eu deployment-7"}, places(m))
}
