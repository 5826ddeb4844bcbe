package policy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
)

func compileTest(t *testing.T, document string) *Policy {
	t.Helper()
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := Compile([]byte(document), cat)
	require.NoError(t, err, "%s", document)
	return p
}

const experimentsBefore = `version: 1
models: {sandbox-small: {}, sandbox-large: {}} # as before
routes: {auto: {select: [{target: sandbox-small}]}}
`

const twoExperiments = experimentsBefore + `experiments: # what we try
  # the first one
  one:
    share: 0.5 # half
    routes: [auto]
    candidates: [sandbox-large]
    judge: sandbox-large
    daily_usd: 1
    rubrics: {code: "It works: always."}
  two: {share: 1, routes: [auto], candidates: [sandbox-large], judge: sandbox-large, daily_usd: "2"}

# the end
`

func TestExperimentsAreEdited(t *testing.T) {
	draft := &ExperimentDraft{Name: "try.it-1", Share: "0.05", DailyUSD: "2.50", Routes: []string{"auto"}, Candidates: []string{"sandbox-large"}, Judge: "sandbox-large"}
	const line = `  try.it-1: {share: 0.05, routes: ["auto"], candidates: ["sandbox-large"], judge: "sandbox-large", daily_usd: "2.50"}` + "\n"
	added, err := AddExperiment(experimentsBefore, draft)
	require.NoError(t, err)
	require.Equal(t, experimentsBefore+"experiments:\n"+line, added)
	p := compileTest(t, added)
	require.Equal(t, Experiment{
		Name: "try.it-1", Share: 500, Routes: []string{"auto"}, Candidates: []string{"sandbox-large"}, Judge: "sandbox-large", NanoUSDPerDay: 2_500_000_000,
	}, p.Experiments[0])

	removed, err := RemoveExperiment(added, "try.it-1")
	require.NoError(t, err)
	require.Equal(t, experimentsBefore, removed)
	_, err = AddExperiment(added, draft)
	require.ErrorContains(t, err, "exists already")
	_, err = RemoveExperiment(added, "other")
	require.ErrorContains(t, err, "no experiment")

	for _, name := range []string{"one", "two"} {
		paused, err := PauseExperiment(twoExperiments, name, true)
		require.NoError(t, err, name)
		for _, e := range compileTest(t, paused).Experiments {
			require.Equal(t, e.Name == name, e.Paused)
			require.Equal(t, e.Name != name, e.Selects("auto", "k"))
		}
		resumed, err := PauseExperiment(paused, name, false)
		require.NoError(t, err, name)
		require.False(t, compileTest(t, resumed).Experiments[0].Paused || compileTest(t, resumed).Experiments[1].Paused)
		again, err := PauseExperiment(resumed, name, true)
		require.NoError(t, err)
		require.Equal(t, paused, again)
	}
	rest, err := RemoveExperiment(twoExperiments, "one")
	require.NoError(t, err)
	require.Equal(t, "two", compileTest(t, rest).Experiments[0].Name)
	require.NotContains(t, rest, "the first one")
	require.Contains(t, rest, "# the end")
	three, err := AddExperiment(twoExperiments, draft)
	require.NoError(t, err)
	require.Len(t, compileTest(t, three).Experiments, 3)
	require.Contains(t, three, "# half")
}

func TestExperimentsThatCannotBeEdited(t *testing.T) {
	flow := experimentsBefore + "experiments: {one: {share: 1, routes: [auto], candidates: [sandbox-large], judge: sandbox-large, daily_usd: 1}}\n"
	_, err := PauseExperiment(flow, "one", true)
	require.ErrorIs(t, err, errExperimentsNotEditable)
	for _, d := range []ExperimentDraft{{Name: "a\n b", Share: "1", DailyUSD: "1"}, {Name: "a", Share: "1}", DailyUSD: "1"}, {Name: "a", Share: "1", DailyUSD: ""}} {
		_, err := AddExperiment(experimentsBefore, &d)
		require.Error(t, err)
	}
	hostile, err := AddExperiment(experimentsBefore, &ExperimentDraft{Name: "a", Share: "1", DailyUSD: "1", Judge: "x\"}\nroutes: {}"})
	require.NoError(t, err, "the compiler rejects the model")
	root, problems := parse([]byte(hostile))
	require.Empty(t, problems)
	require.Len(t, mapEntries(root), 4)
}

func TestACandidateIsPromoted(t *testing.T) {
	promoted, err := PromoteCandidate(`version: 1
models: {sandbox-small: {}, sandbox-large: {}}
routes:
  auto:
    select:
      - {name: eu, when: {key.tag: eu}, require: [{provider.tag: eu}]}
      - {name: legal, when: {key.tag: legal}, target: sandbox-large}
      # the usual way
      - strategy: cheapest
        candidates: [sandbox-small, sandbox-large]
`, "auto", "promote-try", "sandbox-large")
	require.NoError(t, err)
	require.Contains(t, promoted, "      - {name: legal, when: {key.tag: legal}, target: sandbox-large}\n      - {name: \"promote-try\", target: \"sandbox-large\"}\n")
	rules, err := ListRules([]byte(promoted))
	require.NoError(t, err)
	require.Len(t, rules, 3)
	again, err := PromoteCandidate(promoted, "auto", "promote-try", "sandbox-small")
	require.NoError(t, err)
	require.Contains(t, again, `target: "sandbox-small"`)
	_, err = PromoteCandidate(experimentsBefore, "nowhere", "a", "sandbox-large")
	require.Error(t, err)
	flow, err := PromoteCandidate(experimentsBefore, "auto", "a", "sandbox-large")
	require.NoError(t, err)
	require.Contains(t, flow, `[{name: "a", target: "sandbox-large"}]`)
}
