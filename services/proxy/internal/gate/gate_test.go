package gate

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func who(account, key string) Who { return Who{Account: account, Key: key, Now: time.Now()} }

// let enters a request that has to be let in at once.
func let(t *testing.T, g *Gate, account, key string) *Place {
	t.Helper()
	p, err := g.Enter(t.Context(), who(account, key))
	require.NoError(t, err)
	return &p
}

// come enters a request that may have to wait; it tells when it is in.
func come(ctx context.Context, g *Gate, account, key string) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := g.Enter(ctx, who(account, key))
		done <- err
	}()
	synctest.Wait()
	return done
}

// fill lets an account have n places, over two keys.
func fill(t *testing.T, g *Gate, account string, n int) (all []*Place) {
	t.Helper()
	for i := range n {
		all = append(all, let(t, g, account, strconv.Itoa(i%2)))
	}
	return all
}

func TestAnAccountThatIsAloneMayHaveAll(t *testing.T) {
	g := New(Limits{Requests: 32})
	fill(t, g, "a", 32)
	_, err := g.Enter(t.Context(), who("a", "2"))
	require.ErrorIs(t, err, ErrFull)
	require.Equal(t, Load{Requests: 32}, g.Load())
}

func TestAKeyHasHalf(t *testing.T) {
	g := New(Limits{Requests: 4})
	first := let(t, g, "a", "k")
	let(t, g, "a", "k")
	_, err := g.Enter(t.Context(), who("a", "k"))
	require.ErrorIs(t, err, ErrFull)
	let(t, g, "a", "other")
	first.Leave()
	let(t, g, "a", "k")
}

func TestAKeysOwnBound(t *testing.T) {
	g := New(Limits{})
	p := let(t, g, "a", "k")
	one := who("a", "k")
	one.Most = 1
	_, err := g.Enter(t.Context(), one)
	require.ErrorIs(t, err, ErrKey)
	p.Leave()
	_, err = g.Enter(t.Context(), one)
	require.NoError(t, err)
}

// The last places are not for whoever has most already, however much comes.
func TestTheLastPlacesAreForThoseWhoHaveLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 32})
		let(t, g, "b", "k").Leave()
		fill(t, g, "a", 30)
		_, err := g.Enter(t.Context(), who("a", "2"))
		require.ErrorIs(t, err, ErrFull)
		let(t, g, "b", "k")
		let(t, g, "b", "k")
		_, err = g.Enter(t.Context(), who("b", "k"))
		require.ErrorIs(t, err, ErrFull, "then there are none")
	})
}

// Whoever has not come for a while has no claim.
func TestAnAccountThatHasGoneLeavesItsShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 32})
		visit(t, g, "b", 4)
		fill(t, g, "a", 28)
		<-time.After(recently)
		fill(t, g, "a", 4)
	})
}

func TestAPlaceThatIsGivenBackGoesToWhoeverHasLeast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 2, Queue: 8, Wait: time.Second})
		places := fill(t, g, "a", 2)
		more := come(t.Context(), g, "a", "x")
		old, fresh := come(t.Context(), g, "b", "1"), come(t.Context(), g, "b", "2")
		places[0].Leave()
		require.NoError(t, <-fresh, "the newest first")
		places[1].Leave()
		require.NoError(t, <-more, "b has as much by then, and is no newer")
		require.ErrorIs(t, <-old, ErrFull)
		require.Equal(t, Load{Requests: 2}, g.Load())
	})
}

func TestWaitingEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 1, Queue: 8, Wait: 15 * time.Millisecond})
		p := let(t, g, "a", "k")
		began := time.Now()
		_, err := g.Enter(t.Context(), who("b", "k"))
		require.ErrorIs(t, err, ErrFull)
		require.Equal(t, 15*time.Millisecond, time.Since(began))
		ctx, cancel := context.WithCancel(t.Context())
		gone := come(ctx, g, "b", "k")
		cancel()
		require.ErrorIs(t, <-gone, ErrFull)
		require.Equal(t, Load{Requests: 1}, g.Load())
		p.Leave()
		require.Zero(t, g.Load())
		require.Zero(t, g.accounts["b"].keys["k"].requests, "who was refused does not count")
	})
}

func TestAFullQueueIsLeftByThoseWhoHaveMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 2, Queue: 2, Wait: time.Minute})
		places := fill(t, g, "a", 2)
		oldest, second := come(t.Context(), g, "a", "x"), come(t.Context(), g, "a", "y")
		third := come(t.Context(), g, "a", "z")
		require.ErrorIs(t, <-oldest, ErrFull, "the oldest has the least to hope for")
		other := come(t.Context(), g, "b", "k")
		require.ErrorIs(t, <-second, ErrFull)
		require.EqualValues(t, 2, g.Load().Waiting)
		places[0].Leave()
		require.NoError(t, <-other)
		places[1].Leave()
		require.NoError(t, <-third)
	})
}

func TestNobodyLeavesTheQueueForWhoeverHasMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 2, Queue: 1, Wait: time.Minute})
		places := fill(t, g, "a", 2)
		other := come(t.Context(), g, "b", "k")
		require.ErrorIs(t, <-come(t.Context(), g, "a", "x"), ErrFull)
		places[0].Leave()
		require.NoError(t, <-other)
	})
}

func TestMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Bytes: 3200})
		a, more, b := let(t, g, "a", "1"), let(t, g, "a", "2"), let(t, g, "b", "k")
		require.NoError(t, a.Reserve(1600))
		require.ErrorIs(t, let(t, g, "a", "1").Reserve(1), ErrFull, "a key has half")
		require.NoError(t, more.Reserve(1400))
		require.ErrorIs(t, more.Reserve(100), ErrFull, "the last of it is for those who have little")
		require.NoError(t, b.Reserve(200))
		require.ErrorIs(t, b.Reserve(1), ErrFull)
		require.EqualValues(t, 200, b.bytes)
		b.Unreserve(100)
		require.EqualValues(t, 3100, g.Load().Bytes)
		for _, p := range []*Place{a, more, b} {
			p.Leave()
			p.Leave()
		}
		require.Zero(t, g.Load().Bytes)
		require.NoError(t, let(t, g, "a", "1").Reserve(9000), "one that is alone is always taken")
	})
}

func TestWhatHasNothingInsideIsForgotten(t *testing.T) {
	g := New(Limits{})
	let(t, g, "inside", "k")
	for i := range 3 * maxKnown {
		let(t, g, strconv.Itoa(i), "k").Leave()
		let(t, g, "inside", strconv.Itoa(i)).Leave()
	}
	require.LessOrEqual(t, len(g.accounts), maxKnown)
	require.LessOrEqual(t, len(g.accounts["inside"].keys), maxKnown)
	require.EqualValues(t, 1, g.accounts["inside"].keys["k"].requests)
}
