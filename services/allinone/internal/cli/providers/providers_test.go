package providers

import (
	"context"
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/rpc"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/clitest"
	"github.com/signalbox/signalbox/services/router"
)

var commands = clitest.Commands(Commands())

// startRouter starts a router and returns its data directory.
func startRouter(t *testing.T) (data string) {
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

func TestAProviderIsDrainedAndResumed(t *testing.T) {
	data := startRouter(t)
	out, errs := commands.Run(t, "provider", "drain", "--model", "sandbox-small", "--provider", "sandbox", "--reason", "new rack", "--data", data)
	require.Equal(t, "Drained: sandbox-small at sandbox\n", out)
	require.Contains(t, errs, "the audit log does not contain this change", "keyauth does not run here")
	out, _ = commands.Run(t, "provider", "list", "--data", data)
	require.Contains(t, out, "Drained: sandbox-small at sandbox (new rack, by operator)")
	out, _ = commands.Run(t, "provider", "list", "--json", "--data", data)
	require.Contains(t, out, `"reason": "new rack"`)
	_, _, said := commands.RunFailing(t, "provider", "drain", "--provider", "sandbox", "--data", data)
	require.Contains(t, said, "give a reason")
	_, _, said = commands.RunFailing(t, "provider", "resume", "--provider", "sandbox", "--data", data)
	require.Contains(t, said, "NOT_FOUND")
	out, _ = commands.Run(t, "provider", "resume", "--model", "sandbox-small", "--provider", "sandbox", "--data", data)
	require.Equal(t, "Resumed: sandbox-small at sandbox\n", out)
	out, _ = commands.Run(t, "provider", "list", "--data", data)
	require.NotContains(t, out, "Drained")
}
