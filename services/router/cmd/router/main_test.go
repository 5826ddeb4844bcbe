package main

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/health"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/pkg/process/processtest"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/router"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func TestItDecidesWithoutItsStore(t *testing.T) {
	store := testenv.Postgres(t)
	cfg, err := router.LoadConfig([]string{"--listen", "127.0.0.1:0", "--admin", "", "--postgres-url", store}, nil)
	require.NoError(t, err)
	p := processtest.Start(t, cfg.Process, func(ctx context.Context, e process.Env) error { return serve(ctx, cfg, e) })
	p.WaitForStatus(health.Ready)
	end := testenv.Outage(t, store)
	p.WaitForStatus(health.Degraded, "store")
	end()
	p.WaitForStatus(health.Ready)
}
