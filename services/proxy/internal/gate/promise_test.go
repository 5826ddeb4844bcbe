package gate

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// visit lets an account have n places for a moment.
func visit(t *testing.T, g *Gate, account string, n int) {
	t.Helper()
	for _, p := range fill(t, g, account, n) {
		p.Leave()
	}
}

// requireRoom lets an account have n places, and no more.
func requireRoom(t *testing.T, g *Gate, account string, n int) {
	t.Helper()
	fill(t, g, account, n)
	_, err := g.Enter(t.Context(), who(account, "another"))
	require.ErrorIs(t, err, ErrFull)
}

func TestAnAccountFindsWhatItNeededLately(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 32})
		visit(t, g, "b", 4)
		requireRoom(t, g, "a", 28)
		for range 3 {
			visit(t, g, "b", 4)
			_, err := g.Enter(t.Context(), who("a", "2"))
			require.ErrorIs(t, err, ErrFull, "what is given back is still promised")
		}
		requireRoom(t, g, "b", 4)
	})
}

// What an account has inside is not left to it as well, and what it gives back
// is, whoever wants it.
func TestOnlyWhatAnAccountDoesNotHaveIsOwed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 64})
		inside := fill(t, g, "b", 7)
		requireRoom(t, g, "a", 53)
		for i, p := range inside {
			p.Leave()
			require.EqualValues(t, i+1, g.owed)
			_, _ = g.Enter(t.Context(), who("a", "1"))
		}
		requireRoom(t, g, "b", 7)
		require.Zero(t, g.owed)
	})
}

func TestATenthIsLeftToOthersAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 40})
		visit(t, g, "b", 20)
		requireRoom(t, g, "a", 36)
	})
}

// Each of many is promised its fair share and no more.
func TestNobodyIsPromisedMoreThanItsShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 100})
		for _, account := range []string{"b", "c", "d"} {
			visit(t, g, account, 90)
		}
		fill(t, g, "a", 90)
		g.count(time.Now())
		require.EqualValues(t, 3*25, g.owed)
	})
}

// One that has become quieter needs less.
func TestNeedIsOfLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 32})
		visit(t, g, "b", 4)
		<-time.After(recently)
		visit(t, g, "b", 1)
		places := fill(t, g, "a", 28)
		_, err := g.Enter(t.Context(), who("a", "2"))
		require.ErrorIs(t, err, ErrFull, "the window before counts")
		<-time.After(recently)
		visit(t, g, "b", 1)
		requireRoom(t, g, "a", 30-len(places))
	})
}

func TestWhatWasNeededLongAgoIsNotPromised(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 32})
		visit(t, g, "b", 4)
		<-time.After(2 * recently)
		visit(t, g, "b", 1)
		requireRoom(t, g, "a", 30)
	})
}

// A long request alone does not mean that the others come again.
func TestWhoeverNoLongerComesIsPromisedNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 32})
		let(t, g, "b", "long")
		visit(t, g, "b", 3)
		<-time.After(recently)
		requireRoom(t, g, "a", 29)
	})
}

func TestWhoeverIsForgottenIsPromisedNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 32})
		visit(t, g, "b", 4)
		let(t, g, "a", "k")
		g.count(time.Now())
		require.EqualValues(t, 4, g.owed)
		g.forget()
		require.Zero(t, g.owed)
	})
}

// Where there are few places, none is left unused for somebody who may come.
func TestOfFewPlacesAllAreOfUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 4})
		visit(t, g, "b", 2)
		fill(t, g, "a", 4)
	})
}
