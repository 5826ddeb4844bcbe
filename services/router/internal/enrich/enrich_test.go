package enrich_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router/internal/enrich"
	"github.com/signalbox/signalbox/services/router/internal/evidence"
	"github.com/signalbox/signalbox/services/router/internal/subject"
)

const document = `version: 1
models: {sandbox-small: {}, sandbox-medium: {}, sandbox-large: {}, sandbox-embed: {}}
routes:
  auto:
    select: [{strategy: cheapest, candidates: [sandbox-small, sandbox-medium@sandbox], min_quality: 0.9}]
    on_failure: [sandbox-medium]
  plain: {select: [{candidates: [sandbox-large]}]}
  auto-embed: {kind: embeddings, select: [{target: sandbox-embed}]}
`

func prepared(t *testing.T) (*enrich.Enricher, *policy.Policy) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte(document), cat)
	require.NoError(t, err)
	return enrich.New(cat), p
}

func ask(model string) decide.Question {
	return decide.Question{Kind: catalog.Chat, Model: model, Features: decide.NamedValuesFromMap(map[string]int64{"turns": 1})}
}

func TestTheTextBecomesFeaturesAndQualities(t *testing.T) {
	r, p := prepared(t)
	asked := ask("auto")
	q := r.Enrich(p, asked, "Fix this bug, please")
	require.Equal(t, int64(1), q.Features.GetOrZero("task_fix"))
	require.Equal(t, int64(1), q.Features.GetOrZero("turns"))
	require.Equal(t, map[string]int64{"turns": 1}, asked.Features.ToMap(), "the question's list is its own")
	require.Equal(t, []string{"sandbox-medium", "sandbox-small"}, slices.Sorted(maps.Keys(q.Qualities.ToMap())), "the route's models and no others")
	require.Greater(t, q.Qualities.GetOrZero("sandbox-medium"), q.Qualities.GetOrZero("sandbox-small"))
	require.NotEmpty(t, q.Predictor)
	require.Equal(t, q, r.Enrich(p, asked, "Fix this bug, please"))
}

func TestWhoDoesNotGoByQualitiesGetsNone(t *testing.T) {
	r, p := prepared(t)
	for _, q := range []decide.Question{ask("plain"), ask("sandbox-small"), ask("nowhere"), {Kind: catalog.Embeddings, Model: "auto"}} {
		got := r.Enrich(p, q, "hi")
		require.Empty(t, got.Qualities)
		require.Empty(t, got.Predictor)
		require.Equal(t, int64(1), got.Features.GetOrZero("greeting"), "features are for replays as well")
	}
}

// A record has no text. The recorded features and predictions apply, and a model that
// a draft adds is predicted from the recorded features.
func TestARecordedQuestionStands(t *testing.T) {
	r, p := prepared(t)
	first := r.Enrich(p, ask("auto"), "hi")
	require.Equal(t, first, r.Enrich(p, first, ""))

	recorded := first
	recorded.Qualities, recorded.Predictor = decide.NamedValuesFromMap(map[string]int64{"sandbox-small": 123, "gone": 5}), "earlier"
	again := r.Enrich(p, recorded, "")
	require.Equal(t, map[string]int64{"sandbox-small": 123, "sandbox-medium": first.Qualities.GetOrZero("sandbox-medium"), "gone": 5}, again.Qualities.ToMap())
	require.Equal(t, "earlier", again.Predictor)
	require.Equal(t, map[string]int64{"sandbox-small": 123, "gone": 5}, recorded.Qualities.ToMap())
}

func TestAnotherPolicyHasOtherModels(t *testing.T) {
	r, p := prepared(t)
	require.Len(t, r.Enrich(p, ask("auto"), "hi").Qualities, 2)
	cat, err := catalog.Load()
	require.NoError(t, err)
	other, err := policy.Compile([]byte("version: 1\nmodels: {sandbox-large: {}}\nroutes: {auto: {select: [{strategy: quality, candidates: [sandbox-large]}]}}"), cat)
	require.NoError(t, err)
	require.Equal(t, []string{"sandbox-large"}, slices.Collect(maps.Keys(r.Enrich(other, ask("auto"), "hi").Qualities.ToMap())))
	require.Len(t, r.Enrich(p, ask("auto"), "hi").Qualities, 2)
}

const byText = `version: 1
models: {sandbox-small: {}, sandbox-medium: {}, sandbox-large: {}}
routes:
  auto:
    select:
      - {when: {feature.trace: true}, target: sandbox-large, name: traces}
      - {when: {feature.code: {lt: 100}, feature.maths: {gte: 300}}, target: sandbox-medium, name: sums}
      - {when: {feature.greeting: false}, target: sandbox-medium, name: talk}
      - {strategy: cheapest, candidates: [sandbox-small, sandbox-medium, sandbox-large], min_quality: 0.8, name: cheap}
`

// A feature that is absent from a text is known to be 0. Without a text it is unknown.
func TestRulesGoByTheText(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte(byText), cat)
	require.NoError(t, err)
	r := enrich.New(cat)
	for text, rule := range map[string]string{
		"Traceback: a TypeError": "traces",
		"Solve x^2 + 3x = 7":     "sums",
		"Tell me about bees":     "talk",
		"hi":                     "cheap",
		"":                       "cheap",
	} {
		d, err := decide.Decide(p, r.Enrich(p, ask("auto"), text), decide.AllHealthy{})
		require.NoError(t, err)
		require.Equal(t, rule, d.Reason.Rule, text)
	}
}

// An easy question goes to the cheap model, a hard one to a capable model.
func TestTheFloorOfQualityIsForTheRequest(t *testing.T) {
	r, p := prepared(t)
	for text, model := range map[string]string{
		"hi": "sandbox-small",
		"Find the number of positive integers $n \\le 1000$ such that $n^2+n+1$ is divisible by $7$.": "sandbox-medium",
	} {
		d, err := decide.Decide(p, r.Enrich(p, ask("auto"), text), decide.AllHealthy{})
		require.NoError(t, err)
		require.Equal(t, model, d.Plan[0].Model, text)
		require.NotZero(t, d.Verdicts[0].Quality)
		require.NotEmpty(t, d.Predictor)
	}
}

func BenchmarkPrepare(b *testing.B) {
	cat, err := catalog.Load()
	require.NoError(b, err)
	p, err := policy.Compile([]byte(document), cat)
	require.NoError(b, err)
	r, text := enrich.New(cat), strings.Repeat("Why is the sky blue, and what would it take to make it green? ", 33)
	b.ReportAllocs()
	for b.Loop() {
		r.Enrich(p, ask("auto"), text)
	}
}

// A route with an aim also gets the quality of the baseline that it compares with.
func TestAimsGetTheQualityOfTheBaseline(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte(`version: 1
models: {sandbox-small: {}, sandbox-medium: {aliases: [middle]}, sandbox-large: {}}
defaults: {baseline: sandbox-large}
routes: {aimed: {select: [{aim: balanced, candidates: [sandbox-small]}]}, plain: {select: [{strategy: quality, candidates: [sandbox-small]}]}}
`), cat)
	require.NoError(t, err)
	r := enrich.New(cat)
	predicted := func(model, baseline string) []string {
		q := ask(model)
		q.Caller.Baseline = baseline
		return slices.Sorted(maps.Keys(r.Enrich(p, q, "hi").Qualities.ToMap()))
	}
	require.Equal(t, []string{"sandbox-large", "sandbox-small"}, predicted("aimed", ""))
	require.Equal(t, []string{"sandbox-large", "sandbox-medium", "sandbox-small"}, predicted("aimed", "middle"))
	require.Equal(t, []string{"sandbox-large", "sandbox-small"}, predicted("aimed", "nowhere"))
	require.Equal(t, []string{"sandbox-small"}, predicted("plain", "middle"))
}

// The record holds the subject of a single question, by which corrections are chosen.
func TestCorrectionsGoBySubjectAndAccount(t *testing.T) {
	r, p := prepared(t)
	const text = "Which court hears an appeal against a verdict of a jury, and may the plaintiff submit new evidence under the statute?"
	shipped := r.Enrich(p, ask("auto"), text)
	require.Positive(t, shipped.Features.GetOrZero(subject.Feature))
	small, _ := p.Model("sandbox-small")
	quality, topic, ok := r.PredictShipped(small, shipped.Features)
	require.True(t, ok)
	require.Equal(t, "law", topic)
	require.Equal(t, shipped.Qualities.GetOrZero("sandbox-small"), quality)

	table, err := evidence.DecodeTable([]byte(`{"accounts": {"acc": {"law|sandbox-small": -40, "|sandbox-small": 7}}}`))
	require.NoError(t, err)
	r.UseCorrections(table)
	asked := ask("auto")
	asked.Caller.AccountID = "acc"
	corrected := r.Enrich(p, asked, text)
	require.Equal(t, quality-40, corrected.Qualities.GetOrZero("sandbox-small"))
	require.Equal(t, shipped.Predictor+"+"+table.Version(), corrected.Predictor)
	require.Equal(t, shipped.Qualities, r.Enrich(p, ask("auto"), text).Qualities, "another account")
	asked.Features = decide.NamedValuesFromMap(map[string]int64{"turns": 3})
	require.Zero(t, r.Enrich(p, asked, text).Features.GetOrZero(subject.Feature), "a conversation is not its last message")
	again, _, _ := r.PredictShipped(small, shipped.Features)
	require.Equal(t, quality, again, "corrections do not change what is shipped")
	r.UseCorrections(evidence.NewTable())
	require.Equal(t, shipped, r.Enrich(p, ask("auto"), text))
}
