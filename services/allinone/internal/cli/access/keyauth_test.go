package access

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/rpc"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/clitest"
	"github.com/signalbox/signalbox/services/keyauth"
)

var commands = clitest.Commands(slices.Concat(KeyCommands(), AccountCommands(), []cli.Command{BootstrapCommand()}))

// startKeyauth starts a keyauth service without certificates. It returns the data
// directory and the address.
func startKeyauth(t *testing.T) (data, addr string) {
	t.Helper()
	data, err := os.MkdirTemp("", "cli") // a short name, for the socket
	require.NoError(t, err)
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	svc, err := keyauth.New(t.Context(), keyauth.Config{Data: data, Registration: "open"}, keyauth.Deps{Listener: lis, Log: slog.New(slog.DiscardHandler)})
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
	return data, lis.Addr().String()
}

// register creates an account with that name, as any visitor can.
func register(t *testing.T, addr, email, name string) {
	t.Helper()
	conn, err := rpc.Dial(addr, rpc.ClientConfig{})
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, err = keyauthv1.NewAccountServiceClient(conn).Register(t.Context(), &keyauthv1.RegisterRequest{
		Email: email, Password: "correct horse battery", Name: name, Client: "192.0.2.1",
	})
	require.NoError(t, err)
}

// A loopback address without certificates does not make a caller the operator,
// because every local user can reach it. The socket does.
func TestTheOperatorWithoutCertificates(t *testing.T) {
	data, addr := startKeyauth(t)
	for _, args := range []string{"bootstrap --keyauth ", "accounts list --server ", "accounts reset-password a@example.com --yes --server "} {
		_, err := commands.RunOffline(t, strings.Fields(args+addr)...)
		require.ErrorContains(t, err, "--data", args)
	}
	out, _ := commands.Run(t, "bootstrap", "--data", data)
	require.Contains(t, out, "http://127.0.0.1:8081/claim?token=")
	require.Contains(t, out, "sbx_live_")
	out, _ = commands.Run(t, "accounts", "list", "--data", data)
	require.Contains(t, out, "operator")
	out, _ = commands.Run(t, "keys", "create", "--name", "mine", "--data", data)
	require.Contains(t, out, "sbx_live_")
}

// Account names are free text. A name must not hide the operator's account or an
// account whose id starts with it, and the command prints which account it uses.
func TestAmbiguousAccountNames(t *testing.T) {
	data, addr := startKeyauth(t)
	commands.Run(t, "bootstrap", "--data", data)
	var all cli.List[accountView]
	out, _ := commands.Run(t, "accounts", "list", "--json", "--data", data)
	require.NoError(t, json.Unmarshal([]byte(out), &all))
	id := all.Items[0].ID
	register(t, addr, "a@example.com", "Operator")
	register(t, addr, "b@example.com", id[:20])
	register(t, addr, "c@example.com", "anns")

	out, errs := commands.Run(t, "keys", "create", "--account", "operator", "--name", "n", "--data", data)
	require.Equal(t, "Account operator ("+id+")\n", errs, "before it is made")
	require.Contains(t, out, id)
	_, err := commands.RunOffline(t, "accounts", "show", id[:20], "--data", data)
	require.ErrorContains(t, err, "matches 2 accounts")
	require.ErrorContains(t, err, id+" (operator)")
	out, _ = commands.Run(t, "accounts", "show", "anns", "--data", data)
	require.Contains(t, out, "c@example.com")
	_, errs = commands.Run(t, "invites", "create", "--account", id, "--data", data)
	require.Empty(t, errs, "an id is unique")
}
