package e2e

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	// oneAnswer is the cost of a response of the upstream in nano-USD: 7 input tokens, 4
	// cached ones, 7 output tokens.
	oneAnswer = 7*100_000 + 4*50_000 + 7*200_000
	perMinute = 100
	// counterTimeout is how long a proxy with the race detector waits for Redis.
	counterTimeout = time.Second
	// early is the part of its limit that a proxy may reserve in advance.
	early = perMinute / 20
)

// quotaRig is the split deployment with two proxies and a Redis that faults can happen
// to.
type quotaRig struct {
	t        *testing.T
	box      *Gateway
	redis    *server
	operator *APIClient
}

// newQuotaRig uses the binaries of the shared deployments. With the race detector they wait
// longer for Redis, so a busy machine does not make the proxies spend without it.
func newQuotaRig(t *testing.T) *quotaRig {
	t.Helper()
	q := &quotaRig{t: t, redis: newRedis(t)}
	flags := append(NewUpstream(t).writePolicyWithPrices(t, "100", "50", "200"), "--proxies", "2", "--redis", q.redis.url)
	q.box = startOwnSplit(t, sharedBinDir, flags...)
	q.operator = q.box.SignInOperator()
	return q
}

// Many clients of two proxies share one limit and one budget, and the ledger accounts
// for every nano-dollar.
func TestLimitsOfAllProxies(t *testing.T) {
	t.Parallel()
	q := newQuotaRig(t)
	t.Run("requests a minute", func(t *testing.T) { q.withTest(t).checkRate() })
	t.Run("nothing", func(t *testing.T) { require.Empty(t, q.withTest(t).spendBudget(func() {}, ran())) })
	t.Run("FLUSHALL", func(t *testing.T) {
		require.Empty(t, q.withTest(t).spendBudget(func() { q.redis.command("FLUSHALL") }, ran()))
	})
	t.Run("kill -9 of a proxy", func(t *testing.T) { q.withTest(t).spendBudget(q.killProxy, ran()) })
	t.Run("group budget, FLUSHALL", func(t *testing.T) {
		require.Empty(t, q.withTest(t).spendGroupBudget(func() { q.redis.command("FLUSHALL") }, ran()))
	})
	t.Run("group budget, kill -9 of a proxy", func(t *testing.T) { q.withTest(t).spendGroupBudget(q.killProxy, ran()) })
}

// How far a budget may be exceeded. Requests that run when it is reached may cost more
// than estimated. Of two proxies that cannot synchronize, one may spend its share of the
// remainder again.
func share() int64 { return budget() / 2 }

func ran() int64 { return int64(*clients) * oneAnswer }

// budget returns a daily budget in nano-USD that pays for about nine responses of each
// client: a dollar for 50 clients.
func budget() int64 { return int64(*clients) * 20_000_000 }

// During any fault of Redis, no request fails that no limit rejects, and spend stays
// within the budget plus one share.
func TestChaosLimits(t *testing.T) {
	t.Parallel()
	q := newQuotaRig(t)
	for _, tr := range []struct {
		name    string
		happens func()
	}{
		{"kill -9 of Redis", q.redis.kill},
		{"Redis hangs", func() { q.lasts(freeze(q.redis.PID())) }},
		{"Redis is away", func() { q.lasts(q.redis.Down()) }},
		{"Redis is slow", func() {
			q.redis.relay.SetDelay(2 * counterTimeout)
			q.lasts(func() { q.redis.relay.SetDelay(0) })
		}},
	} {
		t.Run(tr.name, func(t *testing.T) { require.Empty(t, q.withTest(t).spendBudget(tr.happens, share())) })
		t.Run("group budget, "+tr.name, func(t *testing.T) {
			require.Empty(t, q.withTest(t).spendGroupBudget(tr.happens, share()))
		})
	}
}

// withTest makes failures count against a subtest.
func (q *quotaRig) withTest(t *testing.T) *quotaRig {
	q.t, q.operator, q.redis.t = t, q.operator.withTest(t), t
	return &quotaRig{t: t, box: q.box.withTest(t), redis: q.redis, operator: q.operator}
}

// checkRate checks that no more requests are served than the limit, the time and the
// reservations of the proxies allow, and not much fewer.
func (q *quotaRig) checkRate() {
	key := q.operator.makeKey(map[string]any{"limits": map[string]any{"requests_per_minute": perMinute}})
	c := startCrowd(q.t, q.box, key.Key)
	c.awaitRefusals("RATE_LIMIT_EXCEEDED", 10**clients)
	c.stop()
	served, most := c.admitted.Load(), perMinute+time.Since(c.began).Minutes()*perMinute+2*early
	q.t.Logf("served %d in %.1f s, at most %.0f", served, time.Since(c.began).Seconds(), most)
	require.LessOrEqual(q.t, float64(served), most)
	require.GreaterOrEqual(q.t, served, int64(perMinute-2*early), "what is allowed is also given")
	require.Empty(q.t, c.unexplained())
}

// spendBudget lets a crowd spend a budget while a fault happens, and returns the results
// that no limit explains.
func (q *quotaRig) spendBudget(happens func(), excess int64) []string {
	q.t.Helper()
	return q.spendKey(q.operator.makeKey(map[string]any{"budget": map[string]any{"nano_usd_per_day": budget()}}), happens, excess)
}

// spendGroupBudget is spendBudget with the prepaid budget of a tag.
func (q *quotaRig) spendGroupBudget(happens func(), excess int64) []string {
	q.t.Helper()
	tag := q.t.Name()[strings.LastIndexByte(q.t.Name(), '/')+1:]
	q.operator.setBudget(map[string]any{"name": tag, "kind": "tag", "value": tag, "amounts": map[string]any{"nano_usd_total": budget()}})
	return q.spendKey(q.operator.makeKey(map[string]any{"tags": []string{tag}}), happens, excess)
}

func (q *quotaRig) spendKey(key madeKey, happens func(), excess int64) []string {
	q.t.Helper()
	avoidMidnight(q.t, 2*waitTimeout)
	isolated := q.countIsolations()
	c := startCrowd(q.t, q.box, key.Key)
	require.Eventually(q.t, func() bool { return c.admitted.Load() >= int64(*clients) }, waitTimeout, pollInterval)
	happens()
	// An isolated proxy rejects requests beyond its share and serves again when the
	// others have reported theirs. What a dead proxy had reserved is free after a minute.
	require.Eventually(q.t, func() bool {
		spend, ok := q.readSpend(key.ID)
		return ok && spend >= budget()*3/4
	}, 2*waitTimeout, 10*pollInterval, "what is allowed is not given")
	c.awaitRefusals("BUDGET_EXCEEDED", 4**clients)
	c.stop()
	if q.countIsolations() > isolated {
		excess = max(excess, share())
	}
	q.requireSpend(key.ID, c.admitted.Load(), excess)
	q.requireExhausted(key.Key)
	return c.unexplained()
}

// countIsolations returns how often a proxy has lost Redis so far. On a busy machine that also
// happens without a fault, because proxies wait 50 ms for Redis, unless they have the race detector.
func (q *quotaRig) countIsolations() int {
	return strings.Count(q.box.Output(), "limits: shared counters unavailable")
}

// requireExhausted checks that every proxy rejects the key, including those that know it
// from the ledger only.
func (q *quotaRig) requireExhausted(key string) {
	q.t.Helper()
	for _, base := range q.box.Proxies {
		require.Eventually(q.t, func() bool {
			c := &crowd{t: q.t, key: key, refused: map[string]int{}}
			c.sendOne(q.t.Context(), &http.Client{Timeout: waitTimeout}, base)
			return c.refusals("BUDGET_EXCEEDED") == 1
		}, waitTimeout, pollInterval, "%s still serves", base)
	}
}

// requireSpend checks that the ledger adds up to at most the budget plus the excess.
func (q *quotaRig) requireSpend(key string, served, excess int64) {
	q.t.Helper()
	var sum int64
	require.Eventually(q.t, func() bool {
		m, err := q.operator.completeness()
		if err != nil || m.Incomplete > 0 {
			return false
		}
		var count int64
		sum, count = q.charged(key)
		return count >= served
	}, waitTimeout, 10*pollInterval, "what was served is not in the ledger")
	require.Equal(q.t, sum, q.shownSpend(key), "the records add up to what is shown")
	q.t.Logf("spent %d of %d nano-USD", sum, budget())
	require.LessOrEqual(q.t, sum, budget()+excess)
}

// charged returns the total cost of a key's records and the number of served requests.
func (q *quotaRig) charged(key string) (sum, served int64) {
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

// shownSpend returns today's spend of a key as the API shows it.
func (q *quotaRig) shownSpend(key string) (spend int64) {
	q.t.Helper()
	require.Eventually(q.t, func() (ok bool) {
		spend, ok = q.readSpend(key)
		return ok
	}, waitTimeout, 10*pollInterval, "the spend of the key is not shown")
	return spend
}

// readSpend returns false if the dashboard cannot say the spend at the moment: on a busy
// machine its query may take too long.
func (q *quotaRig) readSpend(key string) (int64, bool) {
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
	if status, _ := q.operator.Call(http.MethodGet, "/limits", nil, &usage); status != http.StatusOK {
		return 0, false
	}
	for _, k := range usage.Keys {
		if k.ID == key {
			return k.Spent.Day.Nano, true
		}
	}
	return 0, false
}

// killProxy kills one of the two proxies while it holds reservations.
func (q *quotaRig) killProxy() {
	dead := q.box.running("proxy-1")
	require.NoError(q.t, syscall.Kill(dead, syscall.SIGKILL))
	q.box.awaitExit(dead)
	require.Eventually(q.t, func() bool { return ready(q.t, q.box.Proxies[0]) }, waitTimeout, pollInterval)
}

// lasts waits for the outage and ends the fault.
func (q *quotaRig) lasts(end func()) {
	<-time.After(*outage)
	end()
}
