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
