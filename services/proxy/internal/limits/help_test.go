package limits_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/testenv"
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

// alone is a keeper without shared counters, which needs no running.
func alone(t *testing.T) *limits.Keeper {
	t.Helper()
	k, err := limits.New(limits.Deps{})
	require.NoError(t, err)
	return k
}

// run starts a keeper; stop ends it and waits.
func run(t *testing.T, d limits.Deps) (k *limits.Keeper, stop func()) {
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

// shared are the counters of one proxy.
func shared(t *testing.T, url string) *counters.Redis {
	t.Helper()
	c, err := counters.Open(url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// proxies are running keepers with counters in common, each of which knows of
// all.
func proxies(t *testing.T, url string, n int) []*limits.Keeper {
	t.Helper()
	var all []*limits.Keeper
	for range n {
		k, _ := run(t, limits.Deps{Counters: shared(t, url), Patience: patience})
		all = append(all, k)
	}
	for _, k := range all {
		require.Eventually(t, func() bool { return k.Proxies() == n }, eventually, often)
	}
	return all
}

func key(s limits.Set) *limits.Caller {
	return &limits.Caller{AccountID: "acme", KeyID: "prod", Key: s}
}

func enter(t *testing.T, k *limits.Keeper, c *limits.Caller) *limits.Pass {
	t.Helper()
	p, err := k.Enter(t.Context(), c)
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

// admit counts how many of n requests of a caller are let in, one after the
// other; each leaves at once.
func admit(t *testing.T, k *limits.Keeper, c *limits.Caller, n int) (admitted int) {
	t.Helper()
	for range n {
		p, err := k.Enter(t.Context(), c)
		if err == nil {
			admitted++
		}
		p.Leave()
	}
	return admitted
}

// spend is one whole request.
func spend(t *testing.T, k *limits.Keeper, c *limits.Caller, estimate, actual int64) error {
	t.Helper()
	p := enter(t, k, c)
	defer p.Leave()
	err := p.Reserve(t.Context(), 0, estimate)
	if err == nil {
		p.Settle(0, actual)
	}
	return err
}

func meter(t *testing.T, p *limits.Pass, name string) limits.Meter {
	t.Helper()
	for _, m := range p.Meters() {
		if m.Name == name {
			return m
		}
	}
	require.Fail(t, "no meter", name)
	return limits.Meter{}
}

// patience is long, for machines that have more to do.
const patience = time.Second

const eventually, often = 10 * time.Second, 20 * time.Millisecond
