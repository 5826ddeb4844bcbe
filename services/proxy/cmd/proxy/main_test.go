package main

import (
	"context"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/health"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/pkg/process/processtest"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/proxy"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// A Redis that evicts records loses them unnoticed, so it must be reported.
func TestARedisThatIsNotFitIsReported(t *testing.T) {
	url := testenv.Redis(t)
	o, err := redis.ParseURL(url)
	require.NoError(t, err)
	client := redis.NewClient(o)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	cfg, err := proxy.LoadConfig([]string{
		"--data", t.TempDir(), "--listen", "127.0.0.1:0", "--admin", "", "--redis-url", url,
		"--keyauth", "127.0.0.1:1", "--router", "127.0.0.1:1",
	}, nil)
	require.NoError(t, err)
	p := processtest.Start(t, cfg.Process, func(ctx context.Context, e process.Env) error { return serve(ctx, cfg, e) })
	p.WaitForStatus(health.NotReady, "keys", "policy", "keyauth", "router")
	require.NoError(t, client.ConfigSet(t.Context(), "maxmemory-policy", "allkeys-lru").Err())
	p.WaitForStatus(health.NotReady, "keys", "policy", "keyauth", "redis", "router")
	require.NoError(t, client.ConfigSet(t.Context(), "maxmemory-policy", "noeviction").Err())
	p.WaitForStatus(health.NotReady, "keys", "policy", "keyauth", "router")
}
