package limits_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/proxy/internal/counters"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

const (
	requests = "requests_per_minute"
	tokens   = "tokens_per_minute"
	places   = "concurrent_requests"
	daily    = "nano_usd_per_day"
	monthly  = "nano_usd_per_month"
)

// alone returns a limiter without shared counters, which does not need Run.
func alone(t *testing.T) *limits.Limiter {
	t.Helper()
	k, err := limits.New(limits.Deps{})
	require.NoError(t, err)
	return k
}

// run starts a limiter; stop ends it and waits.
func run(t *testing.T, d limits.Deps) (k *limits.Limiter, stop func()) {
	t.Helper()
	k, err := limits.New(d)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { k.Run(ctx) })
	stop = func() {
		cancel()
		done.Wait()
	}
	t.Cleanup(stop)
	return k, stop
}

// redis starts a server for shared counters.
func redis(t *testing.T) *testenv.Server {
	t.Helper()
	server, err := testenv.StartRedis()
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	return server
}

// shared returns the counters of one proxy.
func shared(t *testing.T, url string) *counters.Redis {
	t.Helper()
	c, err := counters.Open(counters.Config{URL: config.Secret(url), Timeout: eventually})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// proxies returns running limiters with shared counters, each of which knows all
// others.
func proxies(t *testing.T, url string, n int) []*limits.Limiter {
	t.Helper()
	return proxiesWithin(t, url, n, defaultCounterTimeout)
}

// proxiesWithin returns proxies whose requests wait so long for the counters.
func proxiesWithin(t *testing.T, url string, n int, counterTimeout time.Duration) []*limits.Limiter {
	t.Helper()
	var all []*limits.Limiter
	for range n {
		k, _ := run(t, limits.Deps{Counters: shared(t, url), CounterTimeout: counterTimeout})
		all = append(all, k)
	}
	for _, k := range all {
		require.Eventually(t, func() bool { return k.ProxyCount() >= n }, eventually, often) // others may run already
	}
	return all
}

func key(s limits.Set) *limits.Caller {
	return &limits.Caller{AccountID: "acme", KeyID: "prod", Key: s}
}

func enter(t *testing.T, k *limits.Limiter, c *limits.Caller) *limits.Admission {
	t.Helper()
	p, err := k.Admit(t.Context(), c)
	require.NoError(t, err)
	return p
}

// refused checks an error and returns the limit it names.
func refused(t *testing.T, err error, code apperr.Code, scope, name string) map[string]any {
	t.Helper()
	require.Error(t, err)
	e := apperr.From(err)
	require.Equal(t, code, e.Code, e.Error())
	limit, ok := e.Details["limit"].(map[string]any)
	require.True(t, ok)
	require.Equal(t, scope, limit["scope"])
	require.Equal(t, name, limit["name"])
	return limit
}

// admit counts how many of n sequential requests of a caller are admitted. Each is
// released at once.
func admit(t *testing.T, k *limits.Limiter, c *limits.Caller, n int) (admitted int) {
	t.Helper()
	for range n {
		p, err := k.Admit(t.Context(), c)
		if err == nil {
			admitted++
		}
		p.Release()
	}
	return admitted
}

// spend runs one whole request.
func spend(t *testing.T, k *limits.Limiter, c *limits.Caller, estimate, actual int64) error {
	t.Helper()
	p := enter(t, k, c)
	defer p.Release()
	err := p.Reserve(t.Context(), 0, estimate)
	if err == nil {
		p.Settle(0, actual)
	}
	return err
}

func meter(t *testing.T, p *limits.Admission, name string) limits.Status {
	t.Helper()
	for _, m := range p.Statuses() {
		if m.Name == name {
			return m
		}
	}
	require.Fail(t, "no meter", name)
	return limits.Status{}
}

// defaultCounterTimeout is long, because test machines may be busy.
const defaultCounterTimeout = 20 * time.Second

// outageCounterTimeout is shorter, because requests of tests wait for a Redis that hangs.
const outageCounterTimeout = 5 * time.Second

// accrued returns how much of a limit per minute has come back since a time, rounded up.
func accrued(limit int, since time.Time) int {
	return int(time.Since(since).Minutes()*float64(limit)) + 1
}

const eventually, often = time.Minute, 20 * time.Millisecond
