package gate

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// acquireAndRelease takes n slots for an account and returns them at once.
func acquireAndRelease(t *testing.T, g *Gate, account string, n int) {
	t.Helper()
	for _, p := range acquireMany(t, g, account, n) {
		p.Release()
	}
}

// requireSlots takes n slots for an account and expects that no more are free.
func requireSlots(t *testing.T, g *Gate, account string, n int) {
	t.Helper()
	acquireMany(t, g, account, n)
	_, err := g.Acquire(t.Context(), newCaller(account, "another"))
	require.ErrorIs(t, err, ErrFull)
}

func TestRecentlyUsedSlotsAreReserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 32})
		acquireAndRelease(t, g, "b", 4)
		requireSlots(t, g, "a", 28)
		for range 3 {
			acquireAndRelease(t, g, "b", 4)
			_, err := g.Acquire(t.Context(), newCaller("a", "2"))
			require.ErrorIs(t, err, ErrFull, "released slots stay reserved")
		}
		requireSlots(t, g, "b", 4)
	})
}

// Slots that an account uses are not reserved a second time. Slots that it
// releases are reserved again, also while another account wants them.
func TestOnlyUnusedSlotsAreReserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 64})
		inside := acquireMany(t, g, "b", 7)
		requireSlots(t, g, "a", 53)
		for i, p := range inside {
			p.Release()
			require.EqualValues(t, i+1, g.unusedReserved)
			_, _ = g.Acquire(t.Context(), newCaller("a", "1"))
		}
		requireSlots(t, g, "b", 7)
		require.Zero(t, g.unusedReserved)
	})
}

func TestAtMostATenthIsReserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 40})
		acquireAndRelease(t, g, "b", 20)
		requireSlots(t, g, "a", 36)
	})
}

// Each account has at most its fair share reserved.
func TestAtMostTheFairShareIsReserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 100})
		for _, account := range []string{"b", "c", "d"} {
			acquireAndRelease(t, g, account, 90)
		}
		acquireMany(t, g, "a", 90)
		g.recount(time.Now())
		require.EqualValues(t, 3*25, g.unusedReserved)
	})
}

// The reserved slots of an account that becomes quieter decrease.
func TestReservedSlotsFollowTheRecentPeak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 32})
		acquireAndRelease(t, g, "b", 4)
		<-time.After(activeWindow)
		acquireAndRelease(t, g, "b", 1)
		places := acquireMany(t, g, "a", 28)
		_, err := g.Acquire(t.Context(), newCaller("a", "2"))
		require.ErrorIs(t, err, ErrFull, "the previous window counts")
		<-time.After(activeWindow)
		acquireAndRelease(t, g, "b", 1)
		requireSlots(t, g, "a", 30-len(places))
	})
}

func TestAnOldPeakReservesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 32})
		acquireAndRelease(t, g, "b", 4)
		<-time.After(2 * activeWindow)
		acquireAndRelease(t, g, "b", 1)
		requireSlots(t, g, "a", 30)
	})
}

// One long request of an account reserves nothing for the requests that it no
// longer sends.
func TestAnAccountWithoutNewRequestsHasNothingReserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 32})
		acquire(t, g, "b", "long")
		acquireAndRelease(t, g, "b", 3)
		<-time.After(activeWindow)
		requireSlots(t, g, "a", 29)
	})
}

func TestAForgottenAccountHasNothingReserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 32})
		acquireAndRelease(t, g, "b", 4)
		acquire(t, g, "a", "k")
		g.recount(time.Now())
		require.EqualValues(t, 4, g.unusedReserved)
		g.forgetIdleAccounts()
		require.Zero(t, g.unusedReserved)
	})
}

// A small limit reserves no slots.
func TestASmallLimitReservesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 4})
		acquireAndRelease(t, g, "b", 2)
		acquireMany(t, g, "a", 4)
	})
}
