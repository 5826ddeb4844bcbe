package limits

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// sickCounters know two proxies.
type sickCounters struct {
	// slowJoin, failedCount and failedReport are intervals: every so many calls of a kind are too slow
	// for a request, or fail. Zero means none.
	slowJoin, failedCount, failedReport int
	// failsAfterJoin means that reports fail once this proxy has registered.
	failsAfterJoin         bool
	joins, counts, reports int
	// within is that of the last call.
	within time.Duration
}

func (c *sickCounters) CountProxies(ctx context.Context, within time.Duration, join bool) (int, bool, error) {
	c.within = within
	if !join {
		c.counts++
		return 2, true, failEvery(c.failedCount, c.counts)
	}
	c.joins++
	if deadline, _ := ctx.Deadline(); time.Until(deadline) > slowResponse {
		return 2, true, nil
	}
	return 2, true, failEvery(c.slowJoin, c.joins)
}

func (c *sickCounters) Exchange(_ context.Context, rates []RateUpdate, holds []HoldUpdate) ([]RateGrant, []HoldGrant, error) {
	if c.failsAfterJoin && c.joins > 0 {
		return nil, nil, errors.New("gone again")
	}
	c.reports++
	return make([]RateGrant, len(rates)), make([]HoldGrant, len(holds)), failEvery(c.failedReport, c.reports)
}

func failEvery(interval, calls int) error {
	if interval > 0 && calls%interval == 0 {
		return context.DeadlineExceeded
	}
	return nil
}

const (
	requestTimeout = 50 * time.Millisecond
	// slowResponse is longer than a request waits, and shorter than a probe waits that may have to connect.
	slowResponse = 100 * time.Millisecond
	never        = time.Minute
)

// outage is a limiter that has lost its counters. It has spent money without them.
type outage struct {
	*Limiter
	counterMonitor
	began, now time.Time
}

func newOutage(t *testing.T, c *sickCounters, proxies int) *outage {
	o := &outage{began: time.Date(2026, 11, 19, 0, 0, 0, 0, time.UTC)}
	o.now = o.began
	var err error
	o.Limiter, err = New(Deps{Proxies: proxies, Counters: c, CounterTimeout: requestTimeout, Now: func() time.Time { return o.now }})
	require.NoError(t, err)
	o.markUnavailable(errors.New("gone"))
	p, err := o.Admit(t.Context(), &Caller{AccountID: "acme", KeyID: "prod", Key: Set{NanoUSDPerDay: 1000}})
	require.NoError(t, err)
	require.NoError(t, p.Reserve(t.Context(), 0, 100))
	p.Settle(0, 100)
	p.Release()
	return o
}

func (o *outage) nextTick(t *testing.T) {
	o.now = o.now.Add(time.Duration(window))
	o.tick(t.Context(), o.Limiter, false)
}

// A killed proxy never reports, so the others wait for ProxyTTL. The time in which the counters are too
// slow does not count. After a failed report, the wait begins again.
func TestSlowCountersAreUsedAgain(t *testing.T) {
	for name, tt := range map[string]struct {
		counters sickCounters
		proxies  int
		wantWait time.Duration
	}{
		"fast":                     {sickCounters{}, 3, ProxyTTL},
		"every second one is slow": {sickCounters{slowJoin: 2}, 3, 2 * ProxyTTL},
		"all are slow":             {sickCounters{slowJoin: 1}, 3, never},
		"some do not respond":      {sickCounters{failedCount: 5}, 3, never},
		"some reports fail":        {sickCounters{failedReport: 5}, 3, never},
		"no proxy is missing":      {sickCounters{}, 2, 0},
		"and all are slow":         {sickCounters{slowJoin: 1}, 2, never},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOutage(t, &tt.counters, tt.proxies)
			// Soon after an earlier outage, the first probe is late.
			o.probeDelay, o.recoveredAt = maxProbeDelay, o.began
			for o.IsDegraded() && o.now.Sub(o.began) < never {
				o.nextTick(t)
			}
			if tt.wantWait == never {
				require.True(t, o.IsDegraded())
				return
			}
			require.InDelta(t, maxProbeDelay+tt.wantWait, o.now.Sub(o.began), float64(time.Second/2))
			require.Equal(t, 2, o.ProxyCount())
			require.Equal(t, o.now.Sub(o.began)-time.Duration(window), tt.counters.within, "since the first tick of the outage")
		})
	}
}

// Counters that fail while a proxy starts to use them again begin another outage, which has its own delays.
func TestCountersThatFailAgainAtOnce(t *testing.T) {
	o := newOutage(t, &sickCounters{failsAfterJoin: true}, 2)
	for o.recoveredAt.IsZero() {
		o.nextTick(t)
	}
	require.True(t, o.IsDegraded())
	o.nextTick(t)
	require.Equal(t, o.now, o.lostAt)
	require.Equal(t, 2*minProbeDelay, o.probeDelay)
}
