package decide_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
)

const drainable = `version: 1
providers: {us: {kind: sandbox}, eu: {kind: sandbox}}
models:
  small: {endpoints: [{provider: us, model: x}, {provider: eu, model: x}]}
  large: {endpoints: [{provider: us, model: y}]}
routes:
  auto: {select: [{strategy: ordered, candidates: [small, large]}], on_failure: [small], affinity: {yields_to: []}}
`

func drainedAt(names ...string) state {
	s := state{down: map[string]string{}}
	for _, name := range names {
		s.down[name] = decide.Drained
	}
	return s
}

// A drained first choice is an operator's constraint: the route is policy, not fallback.
func TestADrainedCandidateIsSkipped(t *testing.T) {
	p := compiled(t, drainable)
	q := decide.Question{Kind: catalog.Chat, Model: "auto", InputTokens: 10}
	q.Sticky = &decide.Candidate{Model: "small", Provider: "us"}
	d, err := decide.Decide(p, q, drainedAt("small@us"))
	require.NoError(t, err)
	require.Equal(t, []decide.Candidate{{Model: "small", Provider: "eu"}, {Model: "large", Provider: "us"}}, d.Plan)
	require.Equal(t, decide.Candidate{Model: "small", Provider: "eu"}, d.HealthyFirst)
	require.True(t, d.PolicyControlled)
	require.Contains(t, d.Reason.Text, "an operator has drained it")
	require.Equal(t, decide.Drained, d.Verdicts[0].Code)
	require.Equal(t, decide.Drained, d.Verdicts[0].DownReason)
}

// A breaker is ignored as a last resort, a drain is not.
func TestADrainedModelIsNotALastResort(t *testing.T) {
	p := compiled(t, drainable)
	h := drainedAt("large@us")
	q := decide.Question{Kind: catalog.Chat, Model: "large", InputTokens: 10}
	_, err := decide.Decide(p, q, h)
	require.Equal(t, apperr.NoRouteAvailable, apperr.CodeOf(err))
	require.ErrorContains(t, err, "large is not available: an operator has drained every provider")

	h.down["small@us"], h.down["small@eu"] = "breaker open", "breaker open"
	q.Model = "auto"
	d, err := decide.Decide(p, q, h)
	require.NoError(t, err)
	require.Len(t, d.Plan, 2)
	require.NotContains(t, d.Plan, decide.Candidate{Model: "large", Provider: "us"})
}

// An explicit model is swapped only if the key allows it.
func TestADrainedExplicitModelIsSwappedIfTheKeyAllowsIt(t *testing.T) {
	p := compiled(t, drainable)
	q := decide.Question{Kind: catalog.Chat, Model: "large", InputTokens: 10, Caller: decide.Caller{MaySwapModel: true}}
	d, err := decide.Decide(p, q, drainedAt("large@us"))
	require.NoError(t, err)
	require.Equal(t, "small", d.Plan[0].Model)
}

// An open tool loop leaves a drained candidate.
func TestADrainEndsAToolLoop(t *testing.T) {
	p := compiled(t, drainable)
	q := decide.Question{Kind: catalog.Chat, Model: "auto", InputTokens: 10}
	q.Session = &decide.Session{ToolLoop: true, Last: &decide.Candidate{Model: "large", Provider: "us"}, Turns: 1}
	d, err := decide.Decide(p, q, drainedAt("large@us"))
	require.NoError(t, err)
	require.Equal(t, "small", d.Plan[0].Model)
}
