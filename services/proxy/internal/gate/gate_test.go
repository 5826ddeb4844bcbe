package gate

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func newCaller(account, key string) Caller {
	return Caller{Account: account, Key: key, Now: time.Now()}
}

// acquire takes a slot that has to be free at once.
func acquire(t *testing.T, g *Gate, account, key string) *Slot {
	t.Helper()
	p, err := g.Acquire(t.Context(), newCaller(account, key))
	require.NoError(t, err)
	return &p
}

// acquireAsync requests a slot that may not be free. The channel receives the
// result.
func acquireAsync(ctx context.Context, g *Gate, account, key string) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := g.Acquire(ctx, newCaller(account, key))
		done <- err
	}()
	synctest.Wait()
	return done
}

// acquireMany takes n slots for an account, with two keys.
func acquireMany(t *testing.T, g *Gate, account string, n int) (all []*Slot) {
	t.Helper()
	for i := range n {
		all = append(all, acquire(t, g, account, strconv.Itoa(i%2)))
	}
	return all
}

func TestASingleAccountMayUseAllSlots(t *testing.T) {
	g := New(Limits{Requests: 32})
	acquireMany(t, g, "a", 32)
	_, err := g.Acquire(t.Context(), newCaller("a", "2"))
	require.ErrorIs(t, err, ErrFull)
	require.Equal(t, Load{Requests: 32}, g.Load())
}

func TestAKeyMayUseHalfOfTheSlots(t *testing.T) {
	g := New(Limits{Requests: 4})
	first := acquire(t, g, "a", "k")
	acquire(t, g, "a", "k")
	_, err := g.Acquire(t.Context(), newCaller("a", "k"))
	require.ErrorIs(t, err, ErrFull)
	acquire(t, g, "a", "other")
	first.Release()
	acquire(t, g, "a", "k")
}

func TestAKeysOwnLimit(t *testing.T) {
	g := New(Limits{})
	p := acquire(t, g, "a", "k")
	one := newCaller("a", "k")
	one.MaxConcurrent = 1
	_, err := g.Acquire(t.Context(), one)
	require.ErrorIs(t, err, ErrKeyLimit)
	p.Release()
	_, err = g.Acquire(t.Context(), one)
	require.NoError(t, err)
}

// An account with many slots cannot take the last ones, however many requests it
// sends.
func TestTheLastSlotsAreForAccountsBelowTheirFairShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 32})
		acquire(t, g, "b", "k").Release()
		acquireMany(t, g, "a", 29)
		_, err := g.Acquire(t.Context(), newCaller("a", "2"))
		require.ErrorIs(t, err, ErrFull)
		acquireMany(t, g, "b", 3)
		_, err = g.Acquire(t.Context(), newCaller("b", "k"))
		require.ErrorIs(t, err, ErrFull, "all slots are in use")
	})
}

// When the other account is no longer active, the remaining one may use the reserve.
func TestAnInactiveAccountHasNoFairShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 32})
		acquire(t, g, "b", "k").Release()
		acquireMany(t, g, "a", 29)
		<-time.After(activeWindow)
		for range 3 {
			acquire(t, g, "a", "2")
		}
	})
}

func TestFewerThanTenSlotsHaveNoReserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 9})
		acquire(t, g, "b", "k").Release()
		acquireMany(t, g, "a", 9)
	})
}

func TestAReleasedSlotGoesToTheAccountWithTheFewest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 2, Queue: 8, Wait: time.Second})
		places := acquireMany(t, g, "a", 2)
		more := acquireAsync(t.Context(), g, "a", "x")
		old, fresh := acquireAsync(t.Context(), g, "b", "1"), acquireAsync(t.Context(), g, "b", "2")
		places[0].Release()
		require.NoError(t, <-fresh, "the newest waiter is first")
		places[1].Release()
		require.NoError(t, <-more, "b now uses as many slots as a, and its waiter is not newer")
		require.ErrorIs(t, <-old, ErrFull)
		require.Equal(t, Load{Requests: 2}, g.Load())
	})
}

func TestWaitingTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 1, Queue: 8, Wait: 15 * time.Millisecond})
		p := acquire(t, g, "a", "k")
		began := time.Now()
		_, err := g.Acquire(t.Context(), newCaller("b", "k"))
		require.ErrorIs(t, err, ErrFull)
		require.Equal(t, 15*time.Millisecond, time.Since(began))
		ctx, cancel := context.WithCancel(t.Context())
		gone := acquireAsync(ctx, g, "b", "k")
		cancel()
		require.ErrorIs(t, <-gone, ErrFull)
		require.Equal(t, Load{Requests: 1}, g.Load())
		p.Release()
		require.Zero(t, g.Load())
		require.Zero(t, g.accounts["b"].keys["k"].requests, "rejected requests do not count")
	})
}

func TestAFullQueueRejectsTheBusiestAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 2, Queue: 2, Wait: time.Minute})
		places := acquireMany(t, g, "a", 2)
		oldest, second := acquireAsync(t.Context(), g, "a", "x"), acquireAsync(t.Context(), g, "a", "y")
		third := acquireAsync(t.Context(), g, "a", "z")
		require.ErrorIs(t, <-oldest, ErrFull, "the oldest waiter is rejected first")
		other := acquireAsync(t.Context(), g, "b", "k")
		require.ErrorIs(t, <-second, ErrFull)
		require.EqualValues(t, 2, g.Load().Waiting)
		places[0].Release()
		require.NoError(t, <-other)
		places[1].Release()
		require.NoError(t, <-third)
	})
}

func TestABusierAccountDoesNotDisplaceAWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Requests: 2, Queue: 1, Wait: time.Minute})
		places := acquireMany(t, g, "a", 2)
		other := acquireAsync(t.Context(), g, "b", "k")
		require.ErrorIs(t, <-acquireAsync(t.Context(), g, "a", "x"), ErrFull)
		places[0].Release()
		require.NoError(t, <-other)
	})
}

func TestReserveBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{Bytes: 3200})
		a, more, b := acquire(t, g, "a", "1"), acquire(t, g, "a", "2"), acquire(t, g, "b", "k")
		require.NoError(t, a.ReserveBytes(1600))
		require.ErrorIs(t, acquire(t, g, "a", "1").ReserveBytes(1), ErrFull, "a key may use half of the bytes")
		require.NoError(t, more.ReserveBytes(1200))
		require.ErrorIs(t, more.ReserveBytes(100), ErrFull, "the last bytes are for accounts below their fair share")
		require.NoError(t, b.ReserveBytes(400))
		require.ErrorIs(t, b.ReserveBytes(1), ErrFull)
		require.EqualValues(t, 400, b.bytes)
		b.ReleaseBytes(100)
		require.EqualValues(t, 3100, g.Load().Bytes)
		for _, p := range []*Slot{a, more, b} {
			p.Release()
			p.Release()
		}
		require.Zero(t, g.Load().Bytes)
		require.NoError(t, acquire(t, g, "a", "1").ReserveBytes(9000), "a body always fits while it is the only one")
	})
}

func TestIdleAccountsAndKeysAreForgotten(t *testing.T) {
	g := New(Limits{})
	acquire(t, g, "inside", "k")
	for i := range 3 * maxTracked {
		acquire(t, g, strconv.Itoa(i), "k").Release()
		acquire(t, g, "inside", strconv.Itoa(i)).Release()
	}
	require.LessOrEqual(t, len(g.accounts), maxTracked)
	require.LessOrEqual(t, len(g.accounts["inside"].keys), maxTracked)
	require.EqualValues(t, 1, g.accounts["inside"].keys["k"].requests)
}
