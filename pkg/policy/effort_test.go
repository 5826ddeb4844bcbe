package policy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// Both spellings of an effort mean the same, in every place that names a candidate.
func TestCandidatesCanHaveAnEffort(t *testing.T) {
	p := compile(t, `version: 1
providers: {one: {kind: sandbox}, two: {kind: sandbox}}
models: {m: {endpoints: [{provider: one, model: x}, {provider: two, model: x}], efforts: [high, none, low], price: {input: "1", output: "2"}}}
routes:
  auto:
    select:
      - {when: {key.tag: a}, target: m#high}
      - {strategy: weighted, weights: {m: 1, "m@two#low": 2}, candidates: [m, {model: m@two, effort: low}]}
    on_failure: ["m#none", {model: m, effort: high}]
`)
	m, _ := p.Model("m")
	require.Equal(t, []string{"none", "low", "high"}, m.Efforts)
	stored, err := policy.Decode(p.Canonical())
	require.NoError(t, err)
	r, _ := stored.Route("auto", catalog.Chat)
	m, _ = stored.Model("m")
	require.Equal(t, []policy.EndpointRef{{Model: m, Effort: "high"}}, r.SelectedEndpoints(0))
	require.Equal(t, []policy.EndpointRef{{Model: m}, {Model: m, Provider: "two", Effort: "low"}}, r.SelectedEndpoints(1))
	require.Equal(t, []policy.EndpointRef{{Model: m, Effort: "none"}, {Model: m, Effort: "high"}}, r.FallbackEndpoints())

	for _, effort := range []string{"#max", "#"} {
		_, err = policy.Decode([]byte(strings.Replace(string(p.Canonical()), `"m#none"`, `"m`+effort+`"`, 1)))
		require.Error(t, err, effort)
	}
}

func TestSplitEffort(t *testing.T) {
	for name, want := range map[string][2]string{
		"m": {"m", ""}, "m#low": {"m", "low"}, "m@p#low": {"m@p", "low"}, "a#b#low": {"a#b", "low"}, "m#": {"m#", ""}, "#low": {"#low", ""}, "": {"", ""},
	} {
		model, effort := policy.SplitEffort(name)
		require.Equal(t, want, [2]string{model, effort}, name)
		require.Equal(t, name, policy.JoinEffort(model, effort))
	}
}
