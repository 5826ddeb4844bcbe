package limits_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/proxy/internal/counters"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

var busy = limits.Set{RequestsPerMinute: 1e12, TokensPerMinute: 1e15, Concurrent: 1e6, NanoUSDPerDay: 1e18, NanoUSDPerMonth: 1e18}

func BenchmarkEnterWithoutLimits(b *testing.B) {
	k, err := limits.New(limits.Deps{})
	require.NoError(b, err)
	c := &limits.Caller{AccountID: "acme", KeyID: "prod"}
	b.ReportAllocs()
	for b.Loop() {
		p, _ := k.Admit(b.Context(), c)
		p.Release()
	}
}

func BenchmarkEnterAlone(b *testing.B) {
	k, err := limits.New(limits.Deps{})
	require.NoError(b, err)
	c := &limits.Caller{AccountID: "acme", KeyID: "prod", Key: busy, Account: busy}
	b.ReportAllocs()
	for b.Loop() {
		p, _ := k.Admit(b.Context(), c)
		p.Release()
	}
}

func BenchmarkReserveSettle(b *testing.B) {
	k, err := limits.New(limits.Deps{})
	require.NoError(b, err)
	c := &limits.Caller{AccountID: "acme", KeyID: "prod", Key: busy, Account: busy}
	b.ReportAllocs()
	for b.Loop() {
		p, _ := k.Admit(b.Context(), c)
		_ = p.Reserve(b.Context(), 1000, 1000)
		p.Settle(900, 900)
		p.Release()
	}
}

// BenchmarkShared uses all limits with Redis. It reports round trips per 1,000
// requests, at full speed and at 500 requests per second.
func BenchmarkShared(b *testing.B) {
	for name, pause := range map[string]time.Duration{"full speed": 0, "500 a second": 2 * time.Millisecond} {
		b.Run(name, func(b *testing.B) { benchmarkShared(b, pause) })
	}
}

func benchmarkShared(b *testing.B, pause time.Duration) {
	redis, err := counters.Open(counters.Config{URL: config.Secret(testenv.Redis(b))})
	require.NoError(b, err)
	k, err := limits.New(limits.Deps{Counters: redis})
	require.NoError(b, err)
	ctx, stop := context.WithCancel(b.Context())
	var done sync.WaitGroup
	done.Go(func() { k.Run(ctx) })
	before, refused := redis.RoundTrips(), 0
	c := &limits.Caller{AccountID: "acme", KeyID: "prod", Key: busy, Account: busy}
	b.ReportAllocs()
	for b.Loop() {
		p, err := k.Admit(ctx, c)
		if err != nil || p.Reserve(ctx, 1000, 1000) != nil {
			refused++
		}
		p.Settle(900, 900)
		p.Release()
		if pause > 0 {
			<-time.After(pause)
		}
	}
	b.ReportMetric(float64(redis.RoundTrips()-before)*1000/float64(b.N), "trips/1000")
	b.ReportMetric(float64(refused), "refused")
	stop()
	done.Wait()
	require.NoError(b, redis.Close())
}
