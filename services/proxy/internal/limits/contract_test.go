package limits_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// shapes are the deployments in which limits apply: a single proxy and several.
var shapes = map[string]func(t *testing.T) []*limits.Limiter{
	"alone":         func(t *testing.T) []*limits.Limiter { return []*limits.Limiter{alone(t)} },
	"two proxies":   func(t *testing.T) []*limits.Limiter { return proxies(t, redis(t).URL, 2) },
	"three proxies": func(t *testing.T) []*limits.Limiter { return proxies(t, redis(t).URL, 3) },
}

// inEveryShape runs a test in each of them.
func inEveryShape(t *testing.T, f func(t *testing.T, ks []*limits.Limiter)) {
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, shape(t))
		})
	}
}

// clients is the number of concurrent clients.
const clients = 50

// crowd lets the clients call f n times each, spread over the proxies.
func crowd(ks []*limits.Limiter, n int, f func(k *limits.Limiter)) {
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			for j := range n {
				f(ks[(i+j)%len(ks)])
			}
		})
	}
	all.Wait()
}

func TestRatesAreExactForACrowd(t *testing.T) {
	inEveryShape(t, func(t *testing.T, ks []*limits.Limiter) {
		c := key(limits.Set{RequestsPerMinute: 300, TokensPerMinute: 30_000})
		c.Account = limits.Set{RequestsPerMinute: 200}
		var admitted, paid atomic.Int64
		began := time.Now()
		crowd(ks, 10, func(k *limits.Limiter) {
			p, err := k.Admit(t.Context(), c)
			if err != nil {
				require.True(t, apperr.Is(err, apperr.RateLimitExceeded), err)
				return
			}
			defer p.Release()
			admitted.Add(1)
			if err := p.Reserve(t.Context(), 200, 0); err == nil {
				paid.Add(1)
				p.Settle(200, 0)
			}
		})
		// A slow machine gets more than the limits, because units accrue.
		require.GreaterOrEqual(t, admitted.Load(), int64(165), "what a proxy holds when its clients are done is not used")
		require.LessOrEqual(t, admitted.Load(), int64(200+accrued(200, began)))
		require.GreaterOrEqual(t, paid.Load(), int64(120))
		require.LessOrEqual(t, paid.Load(), int64(150+accrued(150, began)))
	})
}

func TestPlacesAreExactForACrowd(t *testing.T) {
	inEveryShape(t, func(t *testing.T, ks []*limits.Limiter) {
		c := key(limits.Set{Concurrent: 12})
		c.Account = limits.Set{Concurrent: 10}
		var inside, most, admitted atomic.Int64
		crowd(ks, 20, func(k *limits.Limiter) {
			p, err := k.Admit(t.Context(), c)
			if err != nil {
				require.True(t, apperr.Is(err, apperr.ConcurrencyLimitExceeded), err)
				return
			}
			admitted.Add(1)
			for n := inside.Add(1); n > most.Load(); {
				most.Store(n)
			}
			runtime.Gosched()
			inside.Add(-1)
			p.Release()
		})
		require.LessOrEqual(t, most.Load(), int64(10))
		require.Positive(t, admitted.Load())
		require.Eventually(t, func() bool {
			var passes []*limits.Admission
			for range 10 {
				if p, err := ks[0].Admit(t.Context(), c); err == nil {
					passes = append(passes, p)
				}
			}
			for _, p := range passes {
				p.Release()
			}
			return len(passes) == 10
		}, eventually, often, "all places are free again, for any proxy")
	})
}

func TestMoneyIsNeverReservedTwice(t *testing.T) {
	inEveryShape(t, func(t *testing.T, ks []*limits.Limiter) {
		c := key(limits.Set{NanoUSDPerDay: 1_000_000})
		c.Account = limits.Set{NanoUSDPerMonth: 900_000}
		var b book
		crowd(ks, 40, func(k *limits.Limiter) {
			p, err := k.Admit(t.Context(), c)
			require.NoError(t, err)
			defer p.Release()
			estimate := 1 + rand.Int64N(2000)
			if err := p.Reserve(t.Context(), 0, estimate); err != nil {
				require.True(t, apperr.Is(err, apperr.BudgetExceeded), err)
				return
			}
			b.reserve(estimate)
			actual := rand.Int64N(estimate + 1)
			if rand.IntN(20) == 0 {
				actual = estimate + rand.Int64N(100)
			}
			b.settle(estimate, actual)
			p.Settle(0, actual)
		})
		require.LessOrEqual(t, b.most, int64(900_000))
		// The rest can be spent to the last nano.
		require.Eventually(t, func() bool {
			p := enter(t, ks[0], c)
			defer p.Release()
			left := 900_000 - b.spent
			if left <= 0 {
				return true
			}
			if p.Reserve(t.Context(), 0, left) != nil {
				return false
			}
			p.Settle(0, left)
			return true
		}, eventually, often)
		require.Eventually(t, func() bool {
			p := enter(t, ks[len(ks)-1], c)
			defer p.Release()
			return p.Reserve(t.Context(), 0, 1) != nil && *p.BudgetUsed() >= 1000
		}, eventually, often, "all proxies know")
	})
}

// book is the expected money of all proxies. most is the maximum that was reserved and
// spent at any time, without what requests spent beyond their reservation.
type book struct {
	mu                             sync.Mutex
	reserved, spent, surplus, most int64
}

func (b *book) reserve(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved += n
	b.most = max(b.most, b.reserved+b.spent-b.surplus)
}

func (b *book) settle(estimate, actual int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved -= estimate
	b.spent += actual
	b.surplus += max(0, actual-estimate)
}

func TestARefusedLimitGivesBackWhatTheOthersGave(t *testing.T) {
	inEveryShape(t, func(t *testing.T, ks []*limits.Limiter) {
		c := key(limits.Set{RequestsPerMinute: 10, Concurrent: 1})
		first := enter(t, ks[0], c)
		for range 20 {
			_, err := ks[0].Admit(t.Context(), c)
			refused(t, err, apperr.ConcurrencyLimitExceeded, "key", places)
		}
		first.Release()
		require.Equal(t, 9, admit(t, ks[0], c, 9), "refused requests cost none of the rate")
	})
}
