package evidence_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/router/internal/evidence"
)

// An account that reports everything flipped, ten times as much as the others, changes less
// than 1 % of the decisions of the others, of few and of many. A decision goes to the weak
// model if its quality is at least a share of the strong one's.
func TestAFlippedAccountMovesNobodyElse(t *testing.T) {
	for _, n := range []int{1, 3, 4, 5, 7, 20} {
		honest, changed, total := names(n), 0, 0
		for seed := range uint64(5) {
			without, with := simulate(t, seed, honest, nil), simulate(t, seed, honest, flipped)
			for _, account := range append([]string{"new"}, honest...) {
				for _, topic := range topics {
					for share := 0.5; share < 1.05; share += 0.01 {
						total++
						if usesWeak(without, account, topic, share) != usesWeak(with, account, topic, share) {
							changed++
						}
					}
				}
			}
		}
		t.Logf("%d accounts: %d of %d decisions changed (%.2f %%)", n, changed, total, 100*float64(changed)/float64(total))
		require.Less(t, float64(changed), 0.01*float64(total), n)
	}
}

// One account that contradicts the shipped weights has no vote on the corrections of others. If
// most accounts contradict them, the weights are wrong, and the accounts correct them.
func TestAMajorityMayContradictTheShippedWeights(t *testing.T) {
	table := simulateAll(t, 3, names(12), flipped)
	for _, topic := range []string{"physics", "history"} {
		q := qualities(table, "new", topic)
		require.Less(t, q[strong], predicted[strong], topic)
		require.Greater(t, q[weak], predicted[weak], topic)
	}
}

// simulateAll lets accounts report for ten days what bend makes of their observations.
func simulateAll(t *testing.T, seed uint64, accounts []string, bend func(float64) float64) *evidence.Table {
	w := newWorld(seed)
	for range 10 {
		var all []evidence.Outcome
		for _, id := range accounts {
			all = append(all, w.draw(id, 40, bend)...)
		}
		w.learn(t, 1, all...)
	}
	return w.learn(t, 3)
}

func names(n int) (all []string) {
	for i := range n {
		all = append(all, "account-"+strconv.Itoa(i))
	}
	return all
}

// simulate lets accounts report for ten days, and with them a liar whose observations are
// bent. The honest outcomes are the same with and without the liar.
func simulate(t *testing.T, seed uint64, accounts []string, bend func(float64) float64) *evidence.Table {
	w, liar := newWorld(seed), newWorld(seed+1000)
	for range 10 {
		var all []evidence.Outcome
		for _, id := range accounts {
			all = append(all, w.draw(id, 40, honest)...)
		}
		if bend != nil {
			all = append(all, liar.draw("liar", 400, bend)...)
		}
		w.learn(t, 1, all...)
	}
	return w.learn(t, 3)
}

func usesWeak(table *evidence.Table, account, topic string, share float64) bool {
	q := qualities(table, account, topic)
	return float64(q[weak]) >= share*float64(q[strong])
}
