package limits_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

func TestACallerWithoutLimitsHasANilPass(t *testing.T) {
	k := alone(t)
	p := enter(t, k, key(limits.Set{}))
	require.Nil(t, p)
	require.NoError(t, p.Reserve(t.Context(), 1, 1))
	require.Nil(t, p.BudgetUsed())
	require.Empty(t, p.Statuses())
	p.Settle(1, 1)
	p.Release()
}

func TestRequestsPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, c := alone(t), key(limits.Set{RequestsPerMinute: 60})
		require.Equal(t, 60, admit(t, k, c, 100))
		_, err := k.Admit(t.Context(), c)
		limit := refused(t, err, apperr.RateLimitExceeded, "key", requests)
		require.Equal(t, int64(60), limit["limit"])
		require.Equal(t, int64(0), limit["remaining"])
		require.Equal(t, time.Now().UTC().Add(time.Minute).Format(time.RFC3339), limit["reset_at"])
		require.Equal(t, time.Second, apperr.From(err).RetryAfter)
		require.True(t, apperr.From(err).IsRetryable())
		require.Contains(t, err.Error(), "the key's limit of 60 requests per minute is reached; try again in 1 s")

		wait(time.Second)
		require.Equal(t, 1, admit(t, k, c, 100))
		wait(10 * time.Minute)
		require.Equal(t, 60, admit(t, k, c, 100))
	})
}

func TestABudgetThatComesAfterTheMoneyIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, c := alone(t), key(limits.Set{NanoUSDPerDay: 1000})
		k.SetStoredSpend(c.AccountID, c.KeyID, time.Now().UTC().Format(time.DateOnly), 900, 900)
		for range 10 {
			require.NoError(t, spend(t, k, c, 10, 10))
		}
		refused(t, spend(t, k, c, 10, 10), apperr.BudgetExceeded, "key", daily)
	})
}

func TestAKeyIsHeldToItsAccountsLimitToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := alone(t)
		one := &limits.Caller{AccountID: "acme", KeyID: "one", Key: limits.Set{RequestsPerMinute: 8}, Account: limits.Set{RequestsPerMinute: 10}}
		two := &limits.Caller{AccountID: "acme", KeyID: "two", Account: limits.Set{RequestsPerMinute: 10}}
		other := &limits.Caller{AccountID: "initech", KeyID: "one", Account: limits.Set{RequestsPerMinute: 10}}
		require.Equal(t, 8, admit(t, k, one, 20))
		require.Equal(t, 2, admit(t, k, two, 20), "a refused request takes nothing of the account")
		require.Equal(t, 10, admit(t, k, other, 20))
		_, err := k.Admit(t.Context(), two)
		refused(t, err, apperr.RateLimitExceeded, "account", requests)
	})
}

func TestPlaces(t *testing.T) {
	k, c := alone(t), key(limits.Set{Concurrent: 2})
	first, second := enter(t, k, c), enter(t, k, c)
	_, err := k.Admit(t.Context(), c)
	refused(t, err, apperr.ConcurrencyLimitExceeded, "key", places)
	require.Positive(t, apperr.From(err).RetryAfter)
	first.Release()
	first.Release()
	enter(t, k, c)
	_, err = k.Admit(t.Context(), c)
	require.Error(t, err, "a request leaves once")
	second.Release()
	require.Equal(t, int64(1), meter(t, second, places).Remaining)
}

func TestTokensPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, c := alone(t), key(limits.Set{TokensPerMinute: 6000})
		p := enter(t, k, c)
		require.NoError(t, p.Reserve(t.Context(), 4000, 0))
		require.Equal(t, int64(2000), meter(t, p, tokens).Remaining)
		p.Settle(1000, 0)
		p.Settle(6000, 0)
		require.Equal(t, int64(5000), meter(t, p, tokens).Remaining, "what was not used comes back, once")

		late := enter(t, k, c)
		require.NoError(t, late.Reserve(t.Context(), 5000, 0))
		wait(20 * time.Second)
		late.Settle(1000, 0)
		require.Equal(t, int64(4000), meter(t, p, tokens).Remaining,
			"20 s have brought back 2000 of the 4000 already")

		over := enter(t, k, c)
		require.NoError(t, over.Reserve(t.Context(), 1, 0))
		over.Settle(10_000, 0)
		require.Zero(t, meter(t, p, tokens).Remaining)
		err := over.Reserve(t.Context(), 1, 0)
		refused(t, err, apperr.RateLimitExceeded, "key", tokens)
		require.Equal(t, time.Minute+10*time.Millisecond, apperr.From(err).RetryAfter, "6000 tokens are owed")
	})
}

func TestMoreTokensThanTheLimitEverAllows(t *testing.T) {
	k, c := alone(t), key(limits.Set{TokensPerMinute: 100})
	p := enter(t, k, c)
	err := p.Reserve(t.Context(), 101, 0)
	refused(t, err, apperr.RateLimitExceeded, "key", tokens)
	require.False(t, apperr.From(err).IsRetryable())
	require.NoError(t, p.Reserve(t.Context(), 100, 0))
}

func TestABudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, c := alone(t), key(limits.Set{NanoUSDPerDay: 1000, NanoUSDPerMonth: 1500})
		p := enter(t, k, c)
		require.Zero(t, *p.BudgetUsed())
		require.NoError(t, p.Reserve(t.Context(), 0, 600))
		require.Error(t, spend(t, k, c, 500, 1), "what is reserved is not free")
		p.Settle(0, 300)
		p.Release()
		require.Equal(t, int64(300), *p.BudgetUsed())
		require.NoError(t, spend(t, k, c, 700, 900))
		err := spend(t, k, c, 0, 0)
		limit := refused(t, err, apperr.BudgetExceeded, "key", daily)
		require.Equal(t, map[string]any{"scope": "key", "name": daily, "limit": int64(1000), "remaining": int64(0), "spent": int64(1200), "reset_at": "2000-01-02T00:00:00Z"}, limit)
		require.Equal(t, 24*time.Hour, apperr.From(err).RetryAfter)
		require.False(t, apperr.From(err).IsRetryable())
		require.Contains(t, err.Error(), "the key's budget of $0.000001 a day is used up: $0.0000012 is spent; the budget resets at 2000-01-02T00:00:00Z")

		wait(24 * time.Hour)
		err = spend(t, k, c, 301, 1)
		refused(t, err, apperr.BudgetExceeded, "key", monthly)
		require.NoError(t, spend(t, k, c, 300, 300), "a refused budget leaves the other one alone")
	})
}

func TestARequestSettlesInThePeriodInWhichItBegan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, c := alone(t), key(limits.Set{NanoUSDPerDay: 100})
		wait(24*time.Hour - time.Second)
		p := enter(t, k, c)
		require.NoError(t, p.Reserve(t.Context(), 0, 100))
		wait(2 * time.Second)
		next := enter(t, k, c)
		require.NoError(t, next.Reserve(t.Context(), 0, 100))
		p.Settle(0, 80)
		require.Equal(t, int64(800), *p.BudgetUsed())
		require.Zero(t, *next.BudgetUsed())
	})
}

func TestTheLedgersAccountCounts(t *testing.T) {
	k, c := alone(t), key(limits.Set{NanoUSDPerDay: 100, NanoUSDPerMonth: 200})
	c.Account = limits.Set{NanoUSDPerMonth: 1000}
	today := time.Now().UTC().Format(time.DateOnly)
	k.SetStoredSpend("acme", "prod", today, 70, 90)
	k.SetStoredSpend("acme", "prod", today, 60, 80)
	k.SetStoredSpend("acme", "prod", "1999-12-31", 1000, 1000)
	k.SetStoredSpend("acme", "", today, 500, 500)
	k.SetStoredSpend("acme", "", "nonsense", 5000, 5000)
	p := enter(t, k, c)
	require.Equal(t, int64(700), *p.BudgetUsed())
	require.Equal(t, int64(30), meter(t, p, daily).Remaining)
	require.NoError(t, p.Reserve(t.Context(), 0, 30))
	p.Settle(0, 30)
	require.Equal(t, int64(1000), *p.BudgetUsed(), "what is spent here comes on top of what was spent before")
	k.SetStoredSpend("acme", "prod", today, 100, 120)
	require.Equal(t, int64(1000), *p.BudgetUsed(), "and counts once")
	require.Error(t, p.Reserve(t.Context(), 0, 1))
}

func TestChangedLimitsHoldAtTheNextRequest(t *testing.T) {
	k := alone(t)
	many, few := limits.Set{RequestsPerMinute: 100, Concurrent: 10, NanoUSDPerDay: 1000}, limits.Set{RequestsPerMinute: 10, Concurrent: 2, NanoUSDPerDay: 100}
	for range 5 {
		p := enter(t, k, key(many))
		require.NoError(t, p.Reserve(t.Context(), 0, 20))
	}
	_, err := k.Admit(t.Context(), key(few))
	refused(t, err, apperr.ConcurrencyLimitExceeded, "key", places)
	few.Concurrent = 0
	require.Equal(t, 9, admit(t, k, key(few), 20), "a twentieth is used, whatever the limit")
	few.RequestsPerMinute = 0
	require.Error(t, spend(t, k, key(few), 1, 1))
	require.NoError(t, spend(t, k, key(many), 1, 1))
	require.Nil(t, enter(t, k, key(limits.Set{})))
}

func TestSumsSaturate(t *testing.T) {
	k, c := alone(t), key(limits.Set{NanoUSDPerDay: math.MaxInt64, TokensPerMinute: math.MaxInt64})
	for range 2 {
		p := enter(t, k, c)
		require.NoError(t, p.Reserve(t.Context(), 5, 5))
		p.Settle(math.MaxInt64, math.MaxInt64-10)
	}
	p := enter(t, k, c)
	require.Equal(t, int64(1000), *p.BudgetUsed())
	require.Error(t, p.Reserve(context.Background(), 0, 1))
	require.GreaterOrEqual(t, meter(t, p, daily).Remaining, int64(0))
	p.Settle(-5, -5)
	p.Release()
}

// wait advances the clock of a synctest bubble.
func wait(d time.Duration) { <-time.After(d) }

// A month ends with its last UTC day, also in December and where the local month differs.
func TestAMonthlyBudgetResetsAtTheFirst(t *testing.T) {
	for at, reset := range map[string]string{
		"2026-11-15T12:00:00Z": "2026-12-01T00:00:00Z", "2026-12-31T23:59:59Z": "2027-01-01T00:00:00Z", "2028-02-29T11:00:00Z": "2028-03-01T00:00:00Z",
	} {
		now, err := time.Parse(time.RFC3339, at)
		require.NoError(t, err)
		k, err := limits.New(limits.Deps{Now: func() time.Time { return now.Local() }})
		require.NoError(t, err)
		c := key(limits.Set{NanoUSDPerMonth: 1000})
		require.NoError(t, spend(t, k, c, 900, 1200))
		limit := refused(t, spend(t, k, c, 1, 1), apperr.BudgetExceeded, "key", "nano_usd_per_month")
		require.Equal(t, reset, limit["reset_at"], at)
	}
}
