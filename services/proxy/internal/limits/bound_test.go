package limits_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// fleet holds running limiters that share a model of the counters.
func fleet(t *testing.T, m *model, n int) (ks []*limits.Limiter, sides []*side) {
	t.Helper()
	for i := range n {
		s := &side{model: m, me: fmt.Sprint("proxy ", i)}
		k, _ := run(t, limits.Deps{Counters: s, Proxies: n})
		ks, sides = append(ks, k), append(sides, s)
	}
	wait(time.Second)
	return ks, sides
}

// log records when units were used.
type log struct {
	mu    sync.Mutex
	at    []time.Time
	units []int64
}

func (l *log) add(n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at, l.units = append(l.at, time.Now()), append(l.units, n)
}

// most returns the maximum excess of used units over what accrues in the same time.
func (l *log) most(limit int64) (most float64) {
	for i := range l.at {
		sum := int64(0)
		for j := i; j < len(l.at); j++ {
			sum += l.units[j]
			most = max(most, float64(sum)-float64(limit)*l.at[j].Sub(l.at[i]).Minutes())
		}
	}
	return most
}

// load sends requests to all limiters, at a random pace, until the time is up.
func load(ks []*limits.Limiter, senders int, last time.Duration, send func(k *limits.Limiter)) {
	var all sync.WaitGroup
	end := time.Now().Add(last)
	for i := range senders {
		all.Go(func() {
			for time.Now().Before(end) {
				wait(time.Duration(rand.Int64N(int64(time.Duration(1+i) * 100 * time.Millisecond))))
				send(ks[rand.IntN(len(ks))])
			}
		})
	}
	all.Wait()
}

func TestRatesStayWithinTheBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ks, _ := fleet(t, newModel(), 3)
		c := key(limits.Set{RequestsPerMinute: 120, TokensPerMinute: 30_000})
		var requests, tokens log
		load(ks, 10, 5*time.Minute, func(k *limits.Limiter) {
			p, err := k.Admit(t.Context(), c)
			if err != nil {
				return
			}
			requests.add(1)
			defer p.Release()
			estimate := 1 + rand.Int64N(1000)
			if p.Reserve(t.Context(), estimate, 0) != nil {
				return
			}
			actual := rand.Int64N(estimate + 1)
			tokens.add(actual)
			wait(time.Duration(rand.Int64N(int64(3 * time.Second))))
			p.Settle(actual, 0)
		})
		t.Logf("%d requests, burst %.1f of 120; tokens: burst %.1f of 30000", len(requests.at), requests.most(120), tokens.most(30_000))
		second := 1.2 / 60
		require.LessOrEqual(t, requests.most(120), 120*(1+second), "a limit and a second's leases")
		require.LessOrEqual(t, tokens.most(30_000), 30_000*(1+second))
		require.Greater(t, len(requests.at), 5*120*8/10, "and hardly less than allowed")
	})
}

func TestRatesStayWithinTheBoundWhileTheCountersComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModel()
		ks, _ := fleet(t, m, 3)
		c := key(limits.Set{RequestsPerMinute: 120})
		var requests log
		var all sync.WaitGroup
		all.Go(func() {
			for i := range 30 {
				m.set(i%2 == 0)
				wait(time.Duration(rand.Int64N(int64(20 * time.Second))))
			}
			m.set(false)
		})
		load(ks, 10, 5*time.Minute, func(k *limits.Limiter) {
			p, err := k.Admit(t.Context(), c)
			if err == nil {
				requests.add(1)
			}
			p.Release()
		})
		all.Wait()
		t.Logf("%d requests, burst %.1f of 120", len(requests.at), requests.most(120))
		// Each of three proxies may use its share of what it last saw free.
		require.LessOrEqual(t, requests.most(120), 120*1.5)
		require.Greater(t, len(requests.at), 5*120*7/10)
	})
}

// TestMoneyStaysWithinTheBound lets proxies die with running requests and unreported
// spend, which the stored records show a little later.
func TestMoneyStaysWithinTheBound(t *testing.T) {
	for name, failing := range map[string]bool{"counters stay": false, "counters come and go": true} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { moneyBound(t, failing) }) })
	}
}

func moneyBound(t *testing.T, failing bool) {
	const limit = 3_000_000
	m := newModel()
	ks, sides := fleet(t, m, 3)
	c := key(limits.Set{NanoUSDPerDay: limit})
	var b book
	var all sync.WaitGroup
	end := time.Now().Add(10 * time.Minute)
	all.Go(func() {
		for time.Now().Before(end) {
			b.mu.Lock()
			spent := b.spent
			b.mu.Unlock()
			wait(2 * time.Second)
			for _, k := range ks {
				k.SetStoredSpend("acme", "prod", time.Now().UTC().Format(time.DateOnly), spent, spent)
			}
		}
	})
	all.Go(func() {
		for failing && time.Now().Before(end) {
			m.set(true)
			wait(time.Duration(rand.Int64N(int64(10 * time.Second))))
			m.set(false)
			wait(time.Duration(rand.Int64N(int64(10 * time.Second))))
		}
	})
	all.Go(func() {
		wait(2 * time.Minute)
		sides[1].die()
	})
	load(ks, 10, 10*time.Minute, func(k *limits.Limiter) {
		if k != ks[1] || !sides[1].isDead() {
			b.request(t, k, c)
		}
	})
	all.Wait()
	t.Logf("spent %d of %d, %d beyond estimates; at most %d in use", b.spent, limit, b.surplus, b.most)
	if !failing {
		require.LessOrEqual(t, b.most, int64(limit))
	}
	require.LessOrEqual(t, b.most, int64(limit*11/10))
	require.Greater(t, b.spent, int64(limit*8/10), "and the budget can be used")
}

// request reserves, runs a while and settles.
func (b *book) request(t *testing.T, k *limits.Limiter, c *limits.Caller) {
	p, err := k.Admit(t.Context(), c)
	require.NoError(t, err)
	defer p.Release()
	estimate := 1 + rand.Int64N(5000)
	if p.Reserve(t.Context(), 0, estimate) != nil {
		return
	}
	b.reserve(estimate)
	wait(time.Duration(rand.Int64N(int64(2 * time.Second))))
	actual := rand.Int64N(estimate + estimate/10 + 1)
	b.settle(estimate, actual)
	p.Settle(0, actual)
}
