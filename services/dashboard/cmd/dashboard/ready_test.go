package main

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/health"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/pkg/process/processtest"
	"github.com/signalbox/signalbox/pkg/rpc"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/dashboard"
)

// peer is a gRPC server with only a health service.
func peer(t *testing.T) (addr string, stop func()) {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- rpc.NewServer(rpc.ServerConfig{}).Serve(ctx, lis) }()
	t.Cleanup(cancel)
	return lis.Addr().String(), func() {
		cancel()
		require.NoError(t, <-ended)
	}
}

func TestReadinessRequiresOnlyTheStore(t *testing.T) {
	store := testenv.Postgres(t)
	redis, err := testenv.StartRedis()
	require.NoError(t, err)
	t.Cleanup(redis.Stop)
	keyauth, stopKeyauth := peer(t)
	router, stopRouter := peer(t)
	cfg, err := dashboard.LoadConfig([]string{
		"--data", t.TempDir(), "--listen", "127.0.0.1:0", "--admin", "", "--postgres-url", store,
		"--keyauth", keyauth, "--router", router, "--redis-url", redis.URL,
	}, nil)
	require.NoError(t, err)
	p := processtest.Start(t, cfg.Process.Config, func(ctx context.Context, e process.Env) error { return serve(ctx, cfg, e) })
	p.WaitForStatus(health.Ready)
	end := testenv.Outage(t, store)
	p.WaitForStatus(health.NotReady, "store", "completeness")
	end()
	p.WaitForStatus(health.Ready)
	stopKeyauth()
	stopRouter()
	redis.Stop()
	p.WaitForStatus(health.Degraded, "completeness", "keyauth", "redis", "router")
}
