package limits_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/counters"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// stalling are counters in Redis whose next count can be made to wait until its context ends.
type stalling struct {
	*counters.Redis
	stall   atomic.Bool
	entered chan struct{}
}

func (s *stalling) CountProxies(ctx context.Context, within time.Duration, join bool) (int, bool, error) {
	if !s.stall.Swap(false) {
		return s.Redis.CountProxies(ctx, within, join)
	}
	close(s.entered)
	<-ctx.Done()
	return 0, false, ctx.Err()
}

// A shutdown that interrupts a call to the counters still gives up what the proxy holds.
func TestAnInterruptedCallDoesNotKeepHolds(t *testing.T) {
	server := redis(t)
	c := key(limits.Set{NanoUSDPerDay: 10_000, Concurrent: 10})
	first := &stalling{Redis: shared(t, server.URL), entered: make(chan struct{})}
	k, stop := run(t, limits.Deps{Counters: first, CounterTimeout: time.Hour})
	p, err := k.Admit(t.Context(), c)
	require.NoError(t, err)
	require.NoError(t, p.Reserve(t.Context(), 0, 9_000))
	p.Settle(0, 1000)
	first.stall.Store(true)
	p.Release()
	<-first.entered
	stop()

	other, _ := run(t, limits.Deps{Counters: shared(t, server.URL), CounterTimeout: defaultCounterTimeout})
	require.NoError(t, spend(t, other, c, 9000, 9000), "all but what was spent is free at once")
}

// lateGrants are counters in Redis. The caller of the next exchange gets the result only after
// release is closed, although Redis has applied the exchange.
type lateGrants struct {
	*counters.Redis
	hold             atomic.Bool
	entered, release chan struct{}
}

func (s *lateGrants) Exchange(ctx context.Context, rates []limits.RateUpdate, holds []limits.HoldUpdate) ([]limits.RateGrant, []limits.HoldGrant, error) {
	a, b, err := s.Redis.Exchange(ctx, rates, holds)
	if s.hold.Swap(false) {
		close(s.entered)
		<-s.release
		err = ctx.Err()
	}
	return a, b, err
}

// A shutdown does not interrupt an exchange, because the counters may have applied it. What they
// granted would be lost until it expires.
func TestAStopDoesNotInterruptAnExchange(t *testing.T) {
	server := redis(t)
	c := key(limits.Set{RequestsPerMinute: 100, TokensPerMinute: 1000, NanoUSDPerDay: 1000})
	first := &lateGrants{Redis: shared(t, server.URL), entered: make(chan struct{}), release: make(chan struct{})}
	k, err := limits.New(limits.Deps{Counters: first, CounterTimeout: time.Hour})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.Run(ctx)
	}()
	p := enter(t, k, c)
	require.NoError(t, p.Reserve(t.Context(), 900, 900))
	first.hold.Store(true) // before anything wakes Run
	p.Settle(0, 100)
	p.Release()
	<-first.entered
	cancel()
	close(first.release)
	<-done

	other, _ := run(t, limits.Deps{Counters: shared(t, server.URL), CounterTimeout: defaultCounterTimeout})
	q := enter(t, other, c)
	require.NoError(t, q.Reserve(t.Context(), 950, 900), "all but what was spent is free at once")
}
