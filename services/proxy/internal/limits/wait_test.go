package limits_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// fewExchanges are counters that fail after a number of exchanges.
type fewExchanges struct {
	*side
	left int
}

func (c *fewExchanges) Exchange(ctx context.Context, rates []limits.RateUpdate, holds []limits.HoldUpdate) ([]limits.RateGrant, []limits.HoldGrant, error) {
	if c.left--; c.left < 0 {
		return nil, nil, errors.New("too many exchanges")
	}
	return c.side.Exchange(ctx, rates, holds)
}

// limiterWithExchanges returns a limiter without Run, so that only requests use the counters.
// Its clock is that of now.
func limiterWithExchanges(t *testing.T, n int, now *time.Time) *limits.Limiter {
	t.Helper()
	c := &fewExchanges{&side{model: newModel(), me: "one"}, n}
	k, err := limits.New(limits.Deps{Counters: c, CounterTimeout: defaultCounterTimeout, Now: func() time.Time { return *now }})
	require.NoError(t, err)
	return k
}

// A request needs two budgets and waits for one of them. The other one is idle, but the request
// needs what is held of it.
func TestAWaitingRequestKeepsTheBudgetThatItHas(t *testing.T) {
	now := time.Now()
	k := limiterWithExchanges(t, 2, &now)
	hour := team(limits.Amounts{PerHour: 1000})
	both := team(limits.Amounts{PerHour: 1000, Total: 1000})
	p := enterGroups(t, k, "", hour)
	require.NoError(t, p.Reserve(t.Context(), 0, 100))
	p.Release()
	now = now.Add(2 * time.Second)
	require.NoError(t, enterGroups(t, k, "", both).Reserve(t.Context(), 0, 100))
	require.False(t, k.IsDegraded())
}

// The same for the leases of a key and of its account.
func TestAWaitingRequestKeepsTheLeaseThatItHas(t *testing.T) {
	now := time.Now()
	k := limiterWithExchanges(t, 2, &now)
	one, two := key(limits.Set{TokensPerMinute: 1000}), key(limits.Set{TokensPerMinute: 1000})
	one.Account, two.Account, two.KeyID = one.Key, one.Key, "other"
	p := enter(t, k, one)
	require.NoError(t, p.Reserve(t.Context(), 500, 0))
	p.Release()
	require.NoError(t, enter(t, k, two).Reserve(t.Context(), 500, 0))
	require.False(t, k.IsDegraded())
}
