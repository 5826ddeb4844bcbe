package clitest

import (
	"context"
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/rpc"
	"github.com/signalbox/signalbox/services/router"
)

// StartRouter starts a router and returns its data directory.
func StartRouter(t *testing.T) (data string) {
	t.Helper()
	data, err := os.MkdirTemp("", "cli") // a short name, for the socket
	require.NoError(t, err)
	svc, err := router.New(t.Context(), router.Config{Data: data}, router.Deps{Listener: rpc.NewMemory().Listener(), Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- svc.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
		require.NoError(t, svc.Close())
		require.NoError(t, os.RemoveAll(data))
	})
	return data
}
