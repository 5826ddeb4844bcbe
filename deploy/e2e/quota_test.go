package e2e

import (
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	dollar = int64(1_000_000_000) // nano-USD
	// oneAnswer is what an answer of the upstream costs: 7 tokens in, 4 of a
	// cache, 7 out.
	oneAnswer = 7*100_000 + 4*50_000 + 7*200_000
	perMinute = 100
	// early is how much of its limit a proxy may hold for requests to come.
	early = perMinute / 20
)

// quotas is the split shape with two proxies and a Redis that anything may
// happen to.
type quotas struct {
	t        *testing.T
	box      *Gateway
	redis    *server
	operator *APIClient
}

func newQuotas(t *testing.T, more ...string) *quotas {
	t.Helper()
	q := &quotas{t: t, redis: newRedis(t)}
	flags := append(NewUpstream(t).writePolicyWithPrices(t, "100", "50", "200"), "--proxies", "2", "--redis", q.redis.url)
	q.box = StartSplit(t, append(flags, more...)...)
	q.operator = q.box.SignInOperator()
	return q
}

// Many clients of two proxies have one limit and one budget between them, and
// the ledger has every nano-dollar. A loaded machine is slow, which must not look
// like a Redis that is away.
func TestLimitsOfAllProxies(t *testing.T) {
	q := newQuotas(t, "--set", "SIGNALBOX_LIMITS_TIMEOUT=1s")
	t.Run("requests a minute", func(t *testing.T) { q.of(t).rate() })
	t.Run("nothing", func(t *testing.T) { require.Empty(t, q.of(t).budget(func() {}, ran)) })
	t.Run("FLUSHALL", func(t *testing.T) {
		require.Empty(t, q.of(t).budget(func() { q.redis.command("FLUSHALL") }, ran))
	})
	t.Run("kill -9 of a proxy", func(t *testing.T) { q.of(t).budget(q.killProxy, ran) })
}

// What a budget may be exceeded by: what runs when it is reached may cost more
// than was expected; and of two proxies that know nothing of each other one may
// spend again its share of what was left.
const (
	ran   = clients * oneAnswer
	share = dollar / 2
)

// Whatever happens to Redis: nobody fails whom no limit refuses, and no more is
// spent than the budget and a share of it.
func TestChaosLimits(t *testing.T) {
	q := newQuotas(t)
	for _, tr := range []struct {
		name    string
		happens func()
	}{
		{"kill -9 of Redis", q.redis.kill},
		{"Redis hangs", func() { q.lasts(freeze(q.redis.PID())) }},
		{"Redis is away", func() { q.lasts(q.redis.Down()) }},
		{"Redis is slow", func() {
			q.redis.relay.SetDelay(slowCall)
			q.lasts(func() { q.redis.relay.SetDelay(0) })
		}},
	} {
		t.Run(tr.name, func(t *testing.T) { require.Empty(t, q.of(t).budget(tr.happens, share)) })
	}
}

// of lets failures count against a part of the test.
func (q *quotas) of(t *testing.T) *quotas {
	q.t, q.operator, q.redis.t = t, q.operator.of(t), t
	return &quotas{t: t, box: q.box.of(t), redis: q.redis, operator: q.operator}
}

// rate is that no more are served than the limit and the time allow, with what
// each proxy may hold, and not much less.
func (q *quotas) rate() {
	key := q.operator.makeKey(map[string]any{"limits": map[string]any{"requests_per_minute": perMinute}})
	c := gather(q.t, q.box, key.Key)
	c.isRefused("RATE_LIMIT_EXCEEDED", 10*clients)
	c.leave()
	served, most := c.admitted.Load(), perMinute+time.Since(c.began).Minutes()*perMinute+2*early
	q.t.Logf("served %d in %.1f s, at most %.0f", served, time.Since(c.began).Seconds(), most)
	require.LessOrEqual(q.t, float64(served), most)
	require.GreaterOrEqual(q.t, served, int64(perMinute-2*early), "what is allowed is also given")
	require.Empty(q.t, c.unexplained())
}

// budget lets a crowd spend a dollar while something happens, and returns what
// its clients saw that no limit explains.
func (q *quotas) budget(happens func(), excess int64) []string {
	q.t.Helper()
	key := q.operator.makeKey(map[string]any{"budget": map[string]any{"nano_usd_per_day": dollar}})
	c := gather(q.t, q.box, key.Key)
	require.Eventually(q.t, func() bool { return c.admitted.Load() >= clients }, waitTimeout, pollInterval)
	happens()
	// A proxy on its own refuses what is beyond its share, and serves again when
	// the others have told theirs; what a dead one held is free after a minute.
	require.Eventually(q.t, func() bool { return q.shown(key.ID) >= dollar*3/4 }, 2*waitTimeout, 20*pollInterval, "what is allowed is not given")
	c.isRefused("BUDGET_EXCEEDED", 4*clients)
	c.leave()
	q.spent(key.ID, c.admitted.Load(), excess)
	q.usedUp(key.Key)
	return c.unexplained()
}

// usedUp is that every proxy knows it, also those that know it by the ledger
// alone.
func (q *quotas) usedUp(key string) {
	q.t.Helper()
	for _, base := range q.box.Proxies {
		require.Eventually(q.t, func() bool {
			c := &crowd{t: q.t, key: key, refused: map[string]int{}}
			c.ask(q.t.Context(), &http.Client{Timeout: waitTimeout}, base)
			return c.refusals("BUDGET_EXCEEDED") == 1
		}, waitTimeout, pollInterval, "%s still serves", base)
	}
}

// spent is that the ledger adds up, to no more than the budget with an excess.
func (q *quotas) spent(key string, served, excess int64) {
	q.t.Helper()
	var sum int64
	require.Eventually(q.t, func() bool {
		m, err := q.operator.meter()
		if err != nil || m.Incomplete > 0 {
			return false
		}
		var count int64
		sum, count = q.charged(key)
		return count >= served
	}, waitTimeout, 20*pollInterval, "what was served is not in the ledger")
	require.Equal(q.t, sum, q.shown(key), "the records add up to what is shown")
	q.t.Logf("spent %d of %d nano-USD", sum, dollar)
	require.LessOrEqual(q.t, sum, dollar+excess)
}

// charged is what the records of a key cost, and how many were served.
func (q *quotas) charged(key string) (sum, served int64) {
	for _, r := range q.operator.ListRecords() {
		if r.KeyID != key {
			continue
		}
		if r.Cost != nil {
			sum += *r.Cost
		}
		if r.Outcome == "ok" {
			served++
		}
	}
	return sum, served
}

// shown is what a key has spent today, as its holder is told.
func (q *quotas) shown(key string) int64 {
	q.t.Helper()
	var usage struct {
		Keys []struct {
			ID    string
			Spent struct {
				Day struct {
					Nano int64 `json:"nano_usd"`
				}
			}
		}
	}
	status, body := q.operator.Call(http.MethodGet, "/limits", nil, &usage)
	require.Equal(q.t, http.StatusOK, status, "%s", body)
	for _, k := range usage.Keys {
		if k.ID == key {
			return k.Spent.Day.Nano
		}
	}
	require.Fail(q.t, "the key is not shown")
	return 0
}

// killProxy kills one of the two, between what it has promised and paid.
func (q *quotas) killProxy() {
	dead := q.box.running("proxy-1")
	require.NoError(q.t, syscall.Kill(dead, syscall.SIGKILL))
	q.box.gone(dead)
	require.Eventually(q.t, func() bool { return ready(q.t, q.box.Proxies[0]) }, waitTimeout, pollInterval)
}

// lasts lets a trouble last.
func (q *quotas) lasts(end func()) {
	<-time.After(*outage)
	end()
}
