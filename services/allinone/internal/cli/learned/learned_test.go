package learned

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

func TestLearnedVersions(t *testing.T) {
	data := startRouter(t)
	out, _ := commands.Run(t, "learned", "list", "--data", data)
	require.Contains(t, out, "Applies: shipped, until the router has learned more")
	out, _ = commands.Run(t, "learned", "use", "shipped", "--data", data)
	require.Equal(t, "Applies: shipped, until another version is chosen\n", out)
	out, _ = commands.Run(t, "learned", "list", "--json", "--data", data)
	require.JSONEq(t, `{"items": [], "active": "shipped", "pinned": true}`, out)
	out, _ = commands.Run(t, "learned", "use", "newest", "--data", data)
	require.Equal(t, "Applies: shipped, until the router has learned more\n", out)
	_, _, said := commands.RunFailing(t, "learned", "use", "ffff", "--data", data)
	require.Contains(t, said, "NOT_FOUND")
}
