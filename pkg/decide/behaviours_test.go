package decide_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
)

// The tests named TestBehaviour cover complaints of users of other gateways; most are in
// services/proxy.

// Affinity only moves the conversation's candidate to the front. The other candidates follow
// in their usual order and take over when it is down.
func TestBehaviour02AffinityNeverBlocksFailover(t *testing.T) {
	p := policyOf(t, "rules")
	question := decide.Question{Kind: catalog.Chat, Model: "auto", InputTokens: 100}
	usual, err := decide.Decide(p, question, decide.AllHealthy{})
	require.NoError(t, err)
	for i, place := range usual.Plan {
		question.Sticky = &place
		stays, err := decide.Decide(p, question, decide.AllHealthy{})
		require.NoError(t, err)
		others := append(append([]decide.Candidate{}, usual.Plan[:i]...), usual.Plan[i+1:]...)
		require.ElementsMatch(t, usual.Plan, stays.Plan)
		require.Equal(t, others, without(stays.Plan, place), "the others keep their order")

		for _, why := range []string{"breaker open", decide.OverLimit + ": asked too often"} {
			leaves, err := decide.Decide(p, question, state{down: map[string]string{at(place): why}})
			require.NoError(t, err)
			require.Equal(t, others, leaves.Plan, "the best of the others serves, not the one that was next to it")
			require.NotEqual(t, decide.ReasonSticky, leaves.Reason.Code)
		}
	}
}

func without(plan []decide.Candidate, place decide.Candidate) (rest []decide.Candidate) {
	for _, t := range plan {
		if t != place {
			rest = append(rest, t)
		}
	}
	return rest
}

// A budget rule holds from its exact threshold on, and its reason shows the value.
func TestBehaviour11ARuleAboutTheBudgetShowsItsNumbers(t *testing.T) {
	p := policyOf(t, "rules")
	for used := int64(0); used <= 1200; used++ {
		d, err := decide.Decide(p, decide.Question{Kind: catalog.Chat, Model: "auto", InputTokens: 100, BudgetUsed: &used}, decide.AllHealthy{})
		require.NoError(t, err)
		if used < 950 {
			require.Equal(t, "by-value", d.Reason.Rule, used)
			continue
		}
		require.Equal(t, "save-money", d.Reason.Rule, used)
		require.Contains(t, d.Reason.Text, fmt.Sprintf("budget.used_percent is %d.%d:", used/10, used%10))
	}
}
