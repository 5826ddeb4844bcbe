package decide_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
)

// loopCandidates are the candidates of the route auto of the policy "sessions".
var loopCandidates = []string{"bare@plain", "steady@us", "steady@eu", "large@us"}

// drawOutages returns a health in which each candidate is down with the given chance in percent.
func (d dice) drawOutages(percent int) state {
	s := state{down: map[string]string{}, latency: map[string]int64{}}
	for _, name := range loopCandidates {
		if d.IntN(100) < percent {
			s.down[name] = d.of("breaker open", "OVER_LIMIT: enough")
		}
	}
	return s
}

// loopTurn returns the question of a turn. Everything changes between turns that a rule or a
// strategy can depend on.
func (d dice) loopTurn(input int64, session *decide.Session) decide.Question {
	q := decide.Question{
		Kind: catalog.Chat, Model: "auto", Needs: []catalog.Capability{catalog.Tools}, InputTokens: input, Session: session,
		Qualities: decide.NamedValues{{Name: "bare", Value: d.Int64N(1000)}, {Name: "large", Value: d.Int64N(1000)}, {Name: "steady", Value: d.Int64N(1000)}},
	}
	if d.IntN(4) == 0 {
		q.Caller.Tags = []string{"legal"}
	}
	if d.IntN(2) == 0 {
		q.Sticky = candidateAt(d.of(loopCandidates...))
	}
	return q
}

// isUp reports whether a model is up at any provider.
func (s state) isUp(model string) bool {
	for _, name := range loopCandidates {
		if candidateAt(name).Model == model && s.down[name] == "" {
			return true
		}
	}
	return false
}

// An open tool loop keeps its model while that is up at any provider, and its provider while
// that is up. Otherwise it goes on with a candidate that is up, if there is one.
func TestAnOpenToolLoopKeepsItsModel(t *testing.T) {
	p, d := policyOf(t, "sessions"), dice{rand.New(rand.NewPCG(21, 1))} //nolint:gosec // repeatable on purpose
	turns, changes, moves, refused := 0, 0, 0, 0
	for range 1000 {
		session := &decide.Session{}
		input, outages := int64(d.IntN(20_000)), d.IntN(60)
		for range 2 + d.IntN(30) {
			h, last := d.drawOutages(outages), session.Last
			decision, err := decide.Decide(p, d.loopTurn(input, session), h)
			if err != nil {
				refused++
				break
			}
			chosen := decision.Plan[0]
			if last != nil {
				turns++
				switch {
				case h.down[at(*last)] == "":
					require.Equal(t, *last, chosen)
					require.Equal(t, decide.ReasonToolLoop, decision.Reason.Code)
				case h.isUp(last.Model):
					require.Equal(t, last.Model, chosen.Model)
				case chosen.Model != last.Model:
					moves++
				}
				if chosen.Model != last.Model && h.isUp(last.Model) {
					changes++
				}
			}
			input += int64(d.IntN(2000))
			session = &decide.Session{Last: &chosen, Turns: session.Turns + 1, ToolLoop: true, AddedTokens: d.Int64N(2000), OutputTokens: d.Int64N(900)}
		}
	}
	require.Zero(t, changes)
	require.Greater(t, turns, 10_000)
	require.Greater(t, moves, 500, "the loops whose model is down go on elsewhere")
}
