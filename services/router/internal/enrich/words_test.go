package enrich_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/explain"
	"github.com/signalbox/signalbox/services/router/internal/enrich"
	"github.com/signalbox/signalbox/services/router/internal/features"
	"github.com/signalbox/signalbox/services/router/internal/predict"
	"github.com/signalbox/signalbox/services/router/internal/quality"
)

// Records keep the number of a collection, so the words for a number must not change.
func TestWordsNameTheCollectionsOfTheWeights(t *testing.T) {
	learned, err := predict.Load()
	require.NoError(t, err)
	names := learned.CollectionNames()
	known := explain.CollectionNames()
	require.GreaterOrEqual(t, len(known), len(names), "append the new collections to package explain")
	require.Equal(t, names, known[:len(names)], "collections must keep their numbers")
}

// The words call a request harder exactly if the router takes it for harder.
func TestEffectsAgreeWithTheDifficulty(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	priors := quality.NewPriors(cat, nil)
	base := map[string]int64{"lexical": 2, "length": 3, "turns": 1}
	without := priors.Difficulty(decide.NamedValuesFromMap(base))
	for name, value := range map[string]int64{
		"task_solve": 1, "task_implement": 1, "task_fix": 1, "task_plan": 1, "task_compare": 1, "task_translate": 1, "task_summarise": 1,
		"task_rewrite": 1, "task_classify": 1, "task_extract": 1, "wants_steps": 1, "wants_long": 1, "wants_short": 1, "legal": 3, "medical": 3,
		"finance": 3, "latex": 2, "maths": 400, "code": 600, "trace": 1, "options": 4, "length": 5, "turns": 9, "tools": 2, "images": 1,
		"text_bytes": 50_000, "greeting": 1,
	} {
		with := map[string]int64{name: value}
		for other, v := range base {
			if other != name {
				with[other] = v
			}
		}
		f := decide.NamedValuesFromMap(with)
		reasons := explain.Explain(explain.Facts{Features: f}).Reasons
		change := priors.Difficulty(f) - without
		for _, r := range reasons {
			switch r.Effect {
			case explain.Harder:
				require.Positive(t, change, "%s: %s", name, r.Text)
			case explain.Easier:
				require.Negative(t, change, "%s: %s", name, r.Text)
			case explain.Neutral:
			}
		}
	}
}

func TestLanguagesHaveTheirNames(t *testing.T) {
	for text, want := range map[string]map[string]string{
		"The dog and the cat are in the garden because it is warm.": {"Language": "English"},
		"Der Hund und die Katze sind im Garten, weil es warm ist.":  {"Language": "German"},
		"Le chien et le chat sont dans le jardin parce que c'est":   {"Language": "French"},
		"今天天气很好，我们去公园散步吧。":                                          {"Language": "Chinese"},
		"Сегодня хорошая погода, пойдём гулять в парк":              {"Language": "Russian"},
		"```python\ndef f(x):\n    return x\n```":                   {"Programming language": "Python"},
		"```ruby\nputs 1\n```": {"Programming language": "Ruby"},
	} {
		v := features.NewReader().Read(text)
		got := map[string]string{}
		for _, s := range explain.Explain(explain.Facts{Features: v.AppendTo(nil)}).Signals {
			got[s.Name] = s.Text
		}
		for name, word := range want {
			require.Equal(t, word, got[name], text)
		}
	}
}

// A replay has the recorded features, but not the text.
func TestAReplayGivesTheSameWords(t *testing.T) {
	d := newDecider(t)
	for _, prompt := range []string{"Prove that there are infinitely many primes of the form 4k+3.", "Fix it:\n```go\nfunc f() int { return nil }\n```", "hi"} {
		made := d.decide(t, "auto", prompt)
		q := decide.Question{Kind: catalog.Chat, Model: "auto", Features: made.Features, Qualities: made.Qualities, Predictor: made.Predictor}
		again, err := decide.Decide(d.policy, d.enricher.Enrich(d.policy, q, ""), decide.AllHealthy{})
		require.NoError(t, err)
		words := func(x *decide.Decision) explain.Explanation {
			return explain.Explain(explain.Facts{Features: x.Features, Qualities: x.Qualities, Predictor: x.Predictor})
		}
		require.NotEmpty(t, words(made).Reasons)
		require.Equal(t, words(made), words(again), prompt)
	}
}

// A polite sentence is counted, but it does not make the request longer.
func TestPoliteSentencesChangeNothingElse(t *testing.T) {
	reader := features.NewReader()
	plain := enrich.ReadFeatures(nil, reader, "What is the capital of Australia?")
	polite := enrich.ReadFeatures(nil, reader, "Could you please help me with this? What is the capital of Australia?")
	require.Positive(t, polite.GetOrZero("polite"))
	require.Equal(t, plain, slices.DeleteFunc(polite, func(v decide.NamedValue) bool { return v.Name == "polite" }))
	for _, text := range []string{"Thank you!", "Good morning, how are you today?"} {
		require.Positive(t, enrich.ReadFeatures(nil, reader, text).GetOrZero("greeting"), text)
	}
}
