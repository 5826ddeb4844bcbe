package decide_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
)

// twoPlaces has a model with two endpoints. The second one is smaller, more expensive and
// supports less.
const twoPlaces = `version: 1
providers: {sandbox: {}, spare: {kind: sandbox}}
models:
  m:
    aliases: [m-2026, lab/m]
    endpoints:
      - {provider: spare, model: x, context: 1000, lacks: [tools, choices], price: {input: "2", output: "4"}}
      - {provider: sandbox, model: x}
    price: {input: "1", output: "2"}
    context: 9000
    capabilities: [tools]
routes: {auto: {select: [{candidates: [m]}]}}
`

func compiled(t testing.TB, document string) *policy.Policy {
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte(document), cat)
	require.NoError(t, err)
	return p
}

func TestPlacesAreJudgedEachForItself(t *testing.T) {
	p := compiled(t, twoPlaces)
	tests := map[string]struct {
		give decide.Question
		want []string
	}{
		"anything":  {decide.Question{}, []string{"spare", "sandbox"}},
		"tools":     {decide.Question{Needs: []catalog.Capability{catalog.Tools}}, []string{"sandbox"}},
		"choices":   {decide.Question{Needs: []catalog.Capability{catalog.Choices}}, []string{"sandbox"}},
		"logprobs":  {decide.Question{Needs: []catalog.Capability{catalog.Logprobs}}, []string{"spare", "sandbox"}},
		"long":      {decide.Question{InputTokens: 5000}, []string{"sandbox"}},
		"by alias":  {decide.Question{Model: "m-2026"}, []string{"spare", "sandbox"}},
		"by a path": {decide.Question{Model: "lab/m"}, []string{"spare", "sandbox"}},
		"pinned":    {decide.Question{Model: "spare/m"}, []string{"spare"}},
	}
	for name, tt := range tests {
		q := tt.give
		q.Kind = catalog.Chat
		if q.Model == "" {
			q.Model = "auto"
		}
		d, err := decide.Decide(p, q, decide.AllHealthy{})
		require.NoError(t, err, name)
		var got []string
		for _, target := range d.Plan {
			require.Equal(t, "m", target.Model, name)
			got = append(got, target.Provider)
		}
		require.Equal(t, tt.want, got, name)
	}
	d, err := decide.Decide(p, decide.Question{Kind: catalog.Chat, Model: "m", InputTokens: 100, MaxOutputTokens: 100}, decide.AllHealthy{})
	require.NoError(t, err)
	require.Equal(t, int64(600_000), d.Verdicts[0].PredictedCost.Value, "the price of the endpoint")
	require.Equal(t, int64(300_000), d.Verdicts[1].PredictedCost.Value)
}

func TestARefusedFieldIsNamed(t *testing.T) {
	p := compiled(t, twoPlaces)
	_, err := decide.Decide(p, decide.Question{Kind: catalog.Chat, Model: "spare/m", Needs: []catalog.Capability{catalog.Choices}}, decide.AllHealthy{})
	require.True(t, apperr.Is(err, apperr.UnsupportedParameter))
	require.Equal(t, "n", apperr.From(err).Details["param"])
}

// A key's list may use any name of a model. A name with a provider allows that endpoint only,
// even where it is also an alias of the model.
func TestListsKnowAliases(t *testing.T) {
	p := compiled(t, "version: 1\nproviders: {openai: {}, openrouter: {}}\nmodels: {gpt-6-luna: {}}")
	ask := func(model string, list ...string) ([]decide.Candidate, error) {
		d, err := decide.Decide(p, decide.Question{Kind: catalog.Chat, Model: model, Caller: decide.Caller{Models: list}}, decide.AllHealthy{})
		if err != nil {
			return nil, err
		}
		return d.Plan, nil
	}
	for _, list := range []string{"gpt-6-luna", "openrouter/openai/gpt-6-luna"} {
		plan, err := ask("gpt-6-luna", list)
		require.NoError(t, err, list)
		require.Len(t, plan, 2)
	}
	plan, err := ask("openai/gpt-6-luna", "openai/gpt-6-luna")
	require.NoError(t, err)
	require.Equal(t, []decide.Candidate{{Model: "gpt-6-luna", Provider: "openai"}}, plan)
	_, err = ask("gpt-6-luna", "openai/gpt-6-luna")
	require.True(t, apperr.Is(err, apperr.ModelNotAllowed), "the pin does not open the other place")

	p = compiled(t, "version: 1\nproviders: {openrouter: {}}")
	plan, err = ask("openai/gpt-6-luna")
	require.NoError(t, err, "who is not there is not pinned: the name is then just another name")
	require.Equal(t, []decide.Candidate{{Model: "gpt-6-luna", Provider: "openrouter"}}, plan)
}
