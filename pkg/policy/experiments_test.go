package policy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/policy"
)

const experimentRoutes = "version: 1\n" + models + "routes: {auto: {select: [{target: sandbox-small}]}, auto-embed: {kind: embeddings, select: [{target: sandbox-embed}]}}\n"

func TestExperimentsAreReadAndStored(t *testing.T) {
	p := compile(t, experimentRoutes+`experiments:
  large-too:
    share: 0.05
    routes: [auto, "auto:economy"]
    keys: [key-2, key-1]
    candidates: [sandbox-large@sandbox]
    judge: sandbox-large
    rubrics: {code: " It must compile. "}
    daily_usd: "2.50"
  b: {share: 1, keys: [k], candidates: [sandbox-small, sandbox-large], judge: sandbox-large, daily_usd: 0.000001}
`)
	stored, err := policy.Decode(p.Canonical())
	require.NoError(t, err)
	require.Equal(t, []policy.Experiment{
		{Name: "b", Share: policy.WholeShare, Keys: []string{"k"}, Candidates: []string{"sandbox-small", "sandbox-large"}, Judge: "sandbox-large", NanoUSDPerDay: 1000},
		{
			Name: "large-too", Share: 500, Routes: []string{"auto", "auto:economy"}, Keys: []string{"key-1", "key-2"},
			Candidates: []string{"sandbox-large@sandbox"}, Judge: "sandbox-large", Rubrics: map[string]string{"code": "It must compile."}, NanoUSDPerDay: 2_500_000_000,
		},
	}, stored.Experiments)
	for from, to := range map[string]string{
		`"share":500`: `"share":10001`, `"judge":"sandbox-large"`: `"judge":"gone"`, `"nano_usd_per_day":1000`: `"nano_usd_per_day":0`,
	} {
		text := strings.Replace(string(p.Canonical()), from, to, 1)
		require.NotEqual(t, string(p.Canonical()), text, from)
		_, err := policy.Decode([]byte(text))
		require.Error(t, err, to)
	}
}

func TestProblemsOfExperiments(t *testing.T) {
	const rest = "candidates: [sandbox-large], judge: sandbox-large, daily_usd: 1}"
	for give, want := range map[string]string{
		"{}":                                            "experiments.e MISSING_FIELD|experiments.e MISSING_FIELD|experiments.e MISSING_FIELD|experiments.e MISSING_FIELD|experiments.e MISSING_FIELD",
		"{share: 0.5, " + rest:                          "experiments.e MISSING_FIELD",
		"{share: 5, routes: [auto], " + rest:            "experiments.e.share BAD_VALUE",
		"{share: 0, routes: [auto], " + rest:            "experiments.e.share BAD_VALUE",
		"{share: 1, routes: [atuo], " + rest:            "experiments.e.routes[0] BAD_VALUE auto",
		"{share: 1, routes: [auto-embed], " + rest:      "experiments.e.routes[0] BAD_VALUE",
		"{share: 1, routes: [auto], judges: x, " + rest: "experiments.e.judges UNKNOWN_FIELD judge",
		"{share: 1, keys: [k], candidates: [], judge: sandbox-large, daily_usd: 1}":                             "experiments.e.candidates MISSING_FIELD",
		"{share: 1, keys: [k], candidates: [sandbox-large, sandbox-large], judge: sandbox-large, daily_usd: 1}": "experiments.e.candidates[1] DUPLICATE_ENTRY",
		"{share: 1, keys: [k], candidates: [sandbox-lrge], judge: sandbox-large, daily_usd: 1}":                 "experiments.e.candidates[0] UNKNOWN_MODEL sandbox-large",
		"{share: 1, keys: [k], candidates: [unpriced], judge: unpriced, daily_usd: 1}":                          "experiments.e.candidates[0] UNPRICED_MODEL|experiments.e.judge UNPRICED_MODEL",
		"{share: 1, keys: [k], candidates: [sandbox-large], judge: sandbox-embed, daily_usd: 1}":                "experiments.e.judge WRONG_KIND",
		"{share: 1, keys: [k], candidates: [sandbox-large], judge: sandbox-large, daily_usd: -1}":               "experiments.e.daily_usd BAD_VALUE",
		"{share: 1, keys: [k], candidates: [sandbox-large], judge: sandbox-large, daily_usd: 1e9}":              "experiments.e.daily_usd BAD_VALUE",
		"{share: 1, keys: [k], rubrics: {cod: x}, " + rest:                                                      "experiments.e.rubrics.cod BAD_VALUE code",
		"{share: 1, keys: [k], rubrics: {code: ''}, " + rest:                                                    "experiments.e.rubrics.code BAD_VALUE",
	} {
		document := strings.Replace(experimentRoutes, "sandbox-embed: {}", "sandbox-embed: {}, unpriced: {endpoints: [{provider: sandbox, model: x}]}", 1)
		var got []string
		for _, line := range problems(t, document+"experiments: {e: "+give+"}\n") {
			_, line, _ = strings.Cut(line, " ")
			got = append(got, line)
		}
		require.Equal(t, want, strings.Join(got, "|"), give)
	}
}

func TestAnExperimentSelectsByRouteAndKey(t *testing.T) {
	byRoute := policy.Experiment{Routes: []string{"auto"}}
	require.True(t, byRoute.Selects("auto", "k"))
	require.False(t, byRoute.Selects("other", "k"))
	require.False(t, byRoute.Selects("", "k"), "the request names a model")
	byKey := policy.Experiment{Keys: []string{"k"}}
	require.True(t, byKey.Selects("", "k"))
	require.False(t, byKey.Selects("auto", "j"))
	both := policy.Experiment{Routes: []string{"auto"}, Keys: []string{"k"}}
	require.True(t, both.Selects("auto", "k"))
	require.False(t, both.Selects("auto", "j"))
}
