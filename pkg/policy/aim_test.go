package policy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

func TestAimsAreReadAndStored(t *testing.T) {
	p := compile(t, "version: 1\n"+models+`routes:
  a: {select: [{aim: {quality: 0.97}, candidates: [sandbox-small, sandbox-large]}]}
  b: {select: [{aim: {cost: "0.4"}, min_quality: 0.5, candidates: [sandbox-small]}]}
  c: {select: [{aim: balanced, candidates: [sandbox-small]}]}
  d: {select: [{target: sandbox-small}]}
`)
	stored, err := policy.Decode(p.Canonical())
	require.NoError(t, err)
	for name, want := range map[string]*policy.Aim{
		"a": {Kind: policy.AimQuality, Share: 970}, "b": {Kind: policy.AimCost, Share: 400}, "c": {Kind: policy.AimBalanced}, "d": nil,
	} {
		r, ok := stored.Route(name, catalog.Chat)
		require.True(t, ok)
		require.Equal(t, want, r.Select[0].Aim, name)
		require.Equal(t, want != nil, r.ComparesBaseline(), name)
		require.Equal(t, want != nil, stored.NeedsRouter(r), name)
	}
	for from, to := range map[string]string{
		`"share":970`: `"share":1001`, `"share":400`: `"share":0`, `{"kind":"balanced"}`: `{"kind":"other"}`,
		`"aim":{"kind":"balanced"}`: `"strategy":"ordered","aim":{"kind":"balanced"}`,
	} {
		text := strings.Replace(string(p.Canonical()), from, to, 1)
		require.NotEqual(t, string(p.Canonical()), text, from)
		_, err := policy.Decode([]byte(text))
		require.Error(t, err, to)
	}
}

func routeNames(p *policy.Policy) (names []string) {
	for r := range p.AllRoutes() {
		names = append(names, r.Name)
	}
	return names
}

// Presets exist beside the route auto, follow its rules, and do not change the version.
func TestPresetsAreDerivedFromAuto(t *testing.T) {
	p := compile(t, "version: 1\n"+models+`routes:
  auto:
    require: [{provider: sandbox}]
    select:
      - {name: legal, when: {key.tag: legal}, target: sandbox-large}
      - {name: last, strategy: weighted, weights: {sandbox-small: 1, sandbox-large: 0}, min_quality: 0.5, candidates: [sandbox-small, sandbox-large]}
    on_failure: [sandbox-large]
    affinity: {ttl: 1m}
    tests: [{name: t, request: {messages: [{role: user, content: hi}]}, expect: {model: sandbox-small}}]
`)
	require.Equal(t, []string{"auto", "auto:economy", "auto:balanced", "auto:quality"}, routeNames(p))
	require.Len(t, p.Routes, 1)
	require.NotContains(t, string(p.Canonical()), "auto:")
	auto, _ := p.Route("auto", catalog.Chat)
	economy, ok := p.Route("auto:economy", catalog.Chat)
	require.True(t, ok)
	require.Equal(t, auto.Require, economy.Require)
	require.Equal(t, auto.Affinity, economy.Affinity)
	require.Equal(t, auto.Select[0], economy.Select[0])
	require.Equal(t, policy.Rule{Name: "last", Candidates: auto.Select[1].Candidates, Aim: &policy.Aim{Kind: policy.AimCost, Share: 250}}, economy.Select[1])
	require.Equal(t, auto.FallbackEndpoints(), economy.FallbackEndpoints())
	require.Empty(t, economy.Tests)
	require.Equal(t, policy.Weighted, auto.Select[1].Strategy, "auto itself is unchanged")
	_, ok = p.Route("auto:economy", catalog.Embeddings)
	require.False(t, ok)
}

func TestDocumentsOverridePresets(t *testing.T) {
	p := compile(t, `version: 1
models: {sandbox-small: {aliases: ["auto:quality"]}, "auto:balanced": {endpoints: [{provider: sandbox, model: sandbox-large}]}}
routes:
  auto: {select: [{target: sandbox-small}]}
  "auto:economy": {select: [{target: "auto:balanced"}]}
`)
	require.Equal(t, []string{"auto", "auto:economy"}, routeNames(p))
	r, _ := p.Route("auto:economy", catalog.Chat)
	require.Equal(t, "auto:balanced", r.Select[0].Target)

	p = compile(t, "version: 1\n"+models+"routes: {other: {select: [{target: sandbox-small}]}}\n")
	require.Equal(t, []string{"other"}, routeNames(p), "there is no route auto to derive them from")
}
