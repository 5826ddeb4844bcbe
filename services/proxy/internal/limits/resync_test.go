package limits_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// slowCounters take a while for each update, as a real server does. They grant everything. A
// real server cannot run in a synctest bubble.
type slowCounters struct {
	mu        sync.Mutex
	known     bool
	perUpdate time.Duration
	// spent holds the reported spend by counter.
	spent map[limits.CounterID]int64
}

func (c *slowCounters) Exchange(ctx context.Context, rates []limits.RateUpdate, holds []limits.HoldUpdate) ([]limits.RateGrant, []limits.HoldGrant, error) {
	c.mu.Lock()
	delay := c.perUpdate * time.Duration(len(rates)+len(holds))
	c.mu.Unlock()
	select {
	case <-time.After(delay):
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	grants := make([]limits.HoldGrant, len(holds))
	for i, u := range holds {
		c.spent[u.CounterID] = u.Spent
		grants[i] = limits.HoldGrant{Held: u.Reserved + u.Need, Free: u.Limit, TotalSpent: u.Spent}
	}
	return make([]limits.RateGrant, len(rates)), grants, nil
}

func (c *slowCounters) CountProxies(context.Context, time.Duration, bool) (int, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.known
	c.known = true
	return 1, known, nil
}

// reported returns how many counters have spend.
func (c *slowCounters) reported() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.spent)
}

// lose drops all data. Afterwards the counters are slower than a request would wait.
func (c *slowCounters) lose() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known, c.perUpdate = false, time.Millisecond
	clear(c.spent)
}

func TestManyMembersAreReportedAgainAfterALoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const members = 5000
		c := &slowCounters{perUpdate: 300 * time.Microsecond, spent: map[limits.CounterID]int64{}}
		k, stop := run(t, limits.Deps{Counters: c, CounterTimeout: 100 * time.Millisecond})
		defer stop()
		b := users(limits.Amounts{PerMonth: 1_000_000})
		for i := range members {
			require.NoError(t, spendGroups(t, k, fmt.Sprint("user", i), 5, b))
		}
		wait(10 * time.Second)
		require.False(t, k.IsDegraded())
		require.Equal(t, members, c.reported())
		c.lose()
		wait(10 * time.Second)
		require.False(t, k.IsDegraded())
		require.Equal(t, members, c.reported())
	})
}
