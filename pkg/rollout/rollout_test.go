package rollout

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestASessionKeepsTheVersionWhileTheShareGrows(t *testing.T) {
	counts := map[int32]int{}
	const sessions = 20_000
	for i := range sessions {
		session, before := fmt.Sprint("session ", i), false
		for _, share := range Steps() {
			in := InShare("r1", share, "acme", session)
			require.False(t, before && !in, "%s left at %d", session, share)
			if before = in; in {
				counts[share]++
			}
		}
		require.False(t, InShare("r1", 0, "acme", session))
	}
	for _, share := range Steps() {
		require.InDelta(t, float64(share)/Whole, float64(counts[share])/sessions, 0.01)
	}
	require.Equal(t, sessions, counts[Whole])
}

// The result is part of the contract between processes of different builds.
func TestTheChoiceIsStable(t *testing.T) {
	var chosen []int
	for i := range 40 {
		if InShare("r1", 1000, "acme", fmt.Sprint(i)) {
			chosen = append(chosen, i)
		}
	}
	require.Equal(t, []int{3, 9, 10, 13, 15, 25}, chosen)
}

func TestRolloutsAndAccountsSelectDifferentSessions(t *testing.T) {
	same := map[string]int{}
	for i := range 10_000 {
		session := fmt.Sprint(i)
		if !InShare("r1", 1000, "acme", session) {
			continue
		}
		if InShare("r2", 1000, "acme", session) {
			same["rollout"]++
		}
		if InShare("r1", 1000, "other", session) {
			same["account"]++
		}
	}
	require.InDelta(t, 100, same["rollout"], 50)
	require.InDelta(t, 100, same["account"], 50)
}

func TestSteps(t *testing.T) {
	share, taken := int32(0), []int32(nil)
	for share < Whole {
		share = NextStep(share)
		taken = append(taken, share)
	}
	require.Equal(t, []int32{100, 1000, 5000, 10_000}, taken)
	require.EqualValues(t, Whole, NextStep(Whole))
}
