package limits

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// slowCounters fail every fifth call that joins, which has the timeout of a request, or every fifth
// other call. They know two proxies.
type slowCounters struct {
	failsJoin bool
	calls     int
}

func (c *slowCounters) CountProxies(_ context.Context, _ time.Duration, join bool) (int, bool, error) {
	if join == c.failsJoin {
		c.calls++
		if c.calls%5 == 0 {
			return 0, false, context.DeadlineExceeded
		}
	}
	return 2, true, nil
}

func (c *slowCounters) Exchange(_ context.Context, rates []RateUpdate, holds []HoldUpdate) ([]RateGrant, []HoldGrant, error) {
	return make([]RateGrant, len(rates)), make([]HoldGrant, len(holds)), nil
}

// A killed proxy never reports, so the others wait for ProxyTTL. They start to wait again if the counters
// do not respond, but not if they are too slow for a request.
func TestSlowCountersAreUsedAgain(t *testing.T) {
	for name, tt := range map[string]struct {
		failsJoin bool
		wantWait  time.Duration
	}{
		"too slow for requests": {true, ProxyTTL + time.Second},
		"not responding":        {false, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Date(2026, 11, 19, 0, 0, 0, 0, time.UTC)
			now := began
			k, err := New(Deps{Proxies: 3, Counters: &slowCounters{failsJoin: tt.failsJoin}, Now: func() time.Time { return now }})
			require.NoError(t, err)
			k.markUnavailable(errors.New("gone"))
			var w counterMonitor
			for k.IsDegraded() && now.Sub(began) < time.Minute {
				now = now.Add(minProbeDelay)
				w.tick(t.Context(), k, false)
			}
			require.GreaterOrEqual(t, now.Sub(began), ProxyTTL)
			require.InDelta(t, tt.wantWait, now.Sub(began), float64(time.Second))
		})
	}
}
