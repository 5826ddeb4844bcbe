package policy_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

const wireDocument = `
version: 1
providers:
  acme:
    kind: openai
    base_url: https://acme.example/v1
    wire:
      drop: [store, "messages[].name"]
      refuse: [n]
      only: {service_tier: [auto]}
      add: {usage: {include: true}, top_k: 5}
      rename: {seed: random_seed}
      values: {tool_choice: {required: any}}
      limits: {temperature: {min: 0.1, max: 1.5}}
      roles: {developer: system}
      reasoning: thinking_switch
      text_content: true
      drop_empty: true
      tool_id_length: 9
      http: {auth_header: api-key, query: {api-version: 2024-10-21}}
  mistral: {wire: {keep: [user]}}
models:
  one: {endpoints: [{provider: acme, model: m, wire: {drop: [top_p], keep: [store], reasoning: reasoning_object}}]}
  two: {endpoints: [{provider: acme, model: m2}, {provider: mistral, model: made-up}]}
defaults: {baseline: one}
routes: {auto: {select: [{candidates: [one, two]}]}}
`

// A provider with deviations can be added in YAML alone.
func TestWireIsReadAndMerged(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte(wireDocument), cat)
	require.NoError(t, err)
	same, err := policy.Decode(p.Canonical())
	require.NoError(t, err)
	require.Equal(t, p.Models, same.Models, "it travels")
	acme, _ := p.Provider("acme")
	require.Equal(t, &catalog.WireHTTP{AuthHeader: "api-key", Query: map[string]string{"api-version": "2024-10-21"}}, acme.Wire.HTTP)

	want := &catalog.Wire{
		Drop: []string{"messages[].name", "top_p"}, Reject: []string{"n"}, AllowedValues: map[string][]string{"service_tier": {"auto"}},
		Add:    map[string]json.RawMessage{"usage": json.RawMessage(`{"include":true}`), "top_k": json.RawMessage("5")},
		Rename: map[string]string{"seed": "random_seed"}, Values: map[string]map[string]string{"tool_choice": {"required": "any"}},
		Limits: map[string]catalog.Limit{"temperature": {Min: "0.1", Max: "1.5"}}, Roles: map[string]string{"developer": "system"},
		Reasoning: catalog.ReasoningObject, TextContent: true, DropEmpty: true, ToolIDLength: 9,
	}
	one, _ := p.Model("one")
	require.Equal(t, want, one.Endpoints[0].Wire)
	two, _ := p.Model("two")
	require.Equal(t, []string{"messages[].name", "store"}, two.Endpoints[0].Wire.Drop)
	require.Equal(t, catalog.ThinkingSwitch, two.Endpoints[0].Wire.Reasoning)

	known, _ := cat.Provider("mistral")
	require.Contains(t, known.Wire.Drop, "user")
	require.NotContains(t, two.Endpoints[1].Wire.Drop, "user", "what is written is over the catalog's")
	require.Contains(t, two.Endpoints[1].Wire.Drop, "store")
	require.Equal(t, 9, two.Endpoints[1].Wire.ToolIDLength)
}

// A self-hosted server has a default address, but needs allow_private.
func TestServersOfOnesOwn(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	document := func(provider string) []byte {
		return []byte("version: 1\nproviders: {ollama: {" + provider + "}}\nmodels: {one: {endpoints: [{provider: ollama, model: m}]}}\n" +
			"defaults: {baseline: one}\nroutes: {auto: {select: [{candidates: [one]}]}}\n")
	}
	p, err := policy.Compile(document("allow_private: true"), cat)
	require.NoError(t, err)
	ollama, _ := p.Provider("ollama")
	require.Equal(t, "http://127.0.0.1:11434/v1", ollama.BaseURL)
	_, err = policy.Compile(document(""), cat)
	require.ErrorContains(t, err, policy.CodePrivateAddress)
}

func TestWireFaultsAreFoundAtTheirPlaces(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	_, err = policy.Compile([]byte(`
version: 1
providers:
  acme:
    kind: openai
    base_url: https://acme.example/v1
    wire: {drops: [store], refuse: [model], tool_id_length: many, reasoning: hard, api: embeddings, add: {x: .nan}}
models:
  one: {endpoints: [{provider: acme, model: m, wire: {http: {auth_header: k}}}]}
defaults: {baseline: one}
routes: {auto: {select: [{candidates: [one]}]}}
`), cat)
	var problems policy.Problems
	require.True(t, errors.As(err, &problems))
	found := map[string]string{}
	for _, p := range problems {
		found[p.Path] = p.Code
		require.Greater(t, p.Line, 1)
	}
	require.Equal(t, map[string]string{
		"providers.acme.wire.drops":          policy.CodeUnknownField,
		"providers.acme.wire.refuse":         policy.CodeBadValue,
		"providers.acme.wire.tool_id_length": policy.CodeBadValue,
		"providers.acme.wire.reasoning":      policy.CodeBadValue,
		"providers.acme.wire.api":            policy.CodeBadValue,
		"providers.acme.wire.add.x":          policy.CodeWrongType,
		"providers.acme.wire.add":            policy.CodeBadValue,
		"models.one.endpoints[0].wire.http":  policy.CodeUnknownField,
	}, found)
}

// The wire of a provider in a policy overrides the catalog's wires of its endpoints.
func TestAWrittenProviderIsOverTheCatalogsPlaces(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	_, known, ok := cat.FindEndpoint("openai", "gpt-5-mini")
	require.True(t, ok)
	require.Contains(t, known.Wire.Drop, "temperature")
	require.Equal(t, "high", known.Wire.Values["reasoning_effort"]["max"])
	p, err := policy.Compile([]byte(`
version: 1
providers: {openai: {wire: {keep: [temperature], values: {reasoning_effort: {max: xhigh}}, http: {chat_path: /c}}}}
models: {gpt-5-mini: {}}
defaults: {baseline: gpt-5-mini}
routes: {auto: {select: [{candidates: [gpt-5-mini]}]}}
`), cat)
	require.NoError(t, err)
	m, _ := p.Model("gpt-5-mini")
	w := m.Endpoints[0].Wire
	require.NotContains(t, w.Drop, "temperature")
	require.Contains(t, w.Drop, "top_p")
	require.Equal(t, "xhigh", w.Values["reasoning_effort"]["max"])
	require.Equal(t, known.Wire.Values["reasoning_effort"]["none"], w.Values["reasoning_effort"]["none"])
	require.Nil(t, w.HTTP, "the address is the provider's")
}
