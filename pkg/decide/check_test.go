package decide_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
)

const checkPolicy = `version: 1
providers:
  us: {kind: openai, base_url: https://us.example, keys: [{ref: env:A}]}
  de: {kind: openai, base_url: https://de.example, keys: [{ref: env:A}], tags: [eu]}
models:
  big: {endpoints: [{provider: us, model: b}, {provider: de, model: b}], context: 100000, capabilities: [tools]}
  tiny: {endpoints: [{provider: us, model: t}], context: 1000}
defaults: {baseline: big, unlisted: deny}
routes:
  auto:
    select:
      - {name: eu-only, when: {key.tag: eu}, require: [{provider.tag: eu}]}
      - {target: big}
  narrow: {require: [{provider: de}], select: [{target: big}]}
`

// A request that another model or provider may not see is not sent there.
func TestCheckCandidateAppliesTheHardFilters(t *testing.T) {
	all, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte(checkPolicy), all)
	require.NoError(t, err)
	atUS, atDE, tiny := decide.Candidate{Model: "big", Provider: "us"}, decide.Candidate{Model: "big", Provider: "de"}, decide.Candidate{Model: "tiny", Provider: "us"}
	question := func(model string, change func(q *decide.Question)) *decide.Question {
		q := &decide.Question{Kind: catalog.Chat, Model: model, InputTokens: 100}
		if change != nil {
			change(q)
		}
		return q
	}
	eu := func(q *decide.Question) { q.Caller.Tags = []string{"eu"} }
	for name, tt := range map[string]struct {
		question  *decide.Question
		candidate decide.Candidate
		code      string
	}{
		"everything passes":               {question("auto", nil), tiny, ""},
		"residency by the key's tag":      {question("auto", eu), atUS, decide.ExcludedByRule},
		"the same at home":                {question("auto", eu), atDE, ""},
		"residency of an explicit model":  {question("big", eu), tiny, decide.ExcludedByRule},
		"an explicit model otherwise":     {question("big", nil), tiny, ""},
		"what the route requires":         {question("narrow", nil), atUS, decide.ExcludedByRule},
		"what the request needs":          {question("auto", func(q *decide.Question) { q.Needs = []catalog.Capability{catalog.Tools} }), tiny, decide.MissingCapability},
		"a context that is too small":     {question("auto", func(q *decide.Question) { q.InputTokens = 2000 }), tiny, decide.ContextTooSmall},
		"the key's models":                {question("auto", func(q *decide.Question) { q.Caller.Models = []string{"auto", "big"} }), tiny, decide.NotAllowed},
		"the key's models and provider":   {question("auto", func(q *decide.Question) { q.Caller.Models = []string{"auto", "big@de"} }), atUS, decide.NotAllowed},
		"a maximum cost is the client's":  {question("auto", func(q *decide.Question) { q.MaxCost = decide.KnownInt(0) }), tiny, ""},
		"a model that the policy dropped": {question("auto", nil), decide.Candidate{Model: "gone", Provider: "us"}, decide.NotAllowed},
	} {
		code, text := decide.CheckCandidate(p, tt.question, tt.candidate)
		require.Equal(t, tt.code, code, name+": "+text)
	}
}
