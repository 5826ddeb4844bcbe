package rpc_test

import (
	"context"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/rpc"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// shortDir is a directory with a path short enough for a socket.
func shortDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "rpc")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func TestASocketIsForOneUserAndLeavesNothingBehind(t *testing.T) {
	dir := shortDir(t)
	require.NoError(t, os.Chmod(dir, 0o777))
	path := filepath.Join(dir, "box.sock")
	lis, err := rpc.ListenLocal(t.Context(), path)
	require.NoError(t, err)
	require.Equal(t, path, lis.Addr().String())
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.ModeSocket|0o600, info.Mode())
	require.NoError(t, lis.Close())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
	require.Error(t, lis.Close(), "the second one must not remove another's")
}

func TestASocketThatWasReplacedIsAnothers(t *testing.T) {
	path := filepath.Join(shortDir(t), "box.sock")
	lis, err := rpc.ListenLocal(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, os.Remove(path))
	next, err := rpc.ListenLocal(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, lis.Close())
	_, err = os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, next.Close())
}

func TestASocketReplacesThatOfADeadProcess(t *testing.T) {
	path := filepath.Join(shortDir(t), "box.sock")
	stale, err := net.Listen("unix", path)
	require.NoError(t, err)
	stale.(*net.UnixListener).SetUnlinkOnClose(false)
	require.NoError(t, stale.Close())
	_, err = rpc.DialLocal(t.Context(), path, rpc.ClientConfig{})
	require.ErrorIs(t, err, rpc.ErrNoServer)

	lis, err := rpc.ListenLocal(t.Context(), path)
	require.NoError(t, err)
	defer func() { _ = lis.Close() }()
	conn, err := rpc.DialLocal(t.Context(), path, rpc.ClientConfig{})
	require.NoError(t, err)
	require.NoError(t, conn.Close())
}

func TestASocketThatCannotBe(t *testing.T) {
	long := filepath.Join(shortDir(t), strings.Repeat("x", 100))
	_, err := rpc.ListenLocal(t.Context(), long)
	require.ErrorIs(t, err, rpc.ErrSocketPath)
	_, err = rpc.DialLocal(t.Context(), long, rpc.ClientConfig{})
	require.ErrorIs(t, err, rpc.ErrSocketPath)
	_, err = rpc.DialLocal(t.Context(), filepath.Join(shortDir(t), "none.sock"), rpc.ClientConfig{})
	require.ErrorIs(t, err, rpc.ErrNoServer)
}

// Callers over the socket are the operator; callers over memory are services of the same
// process.
func TestASocketHasTheOperatorsRole(t *testing.T) {
	path := filepath.Join(shortDir(t), "box.sock")
	lis, err := rpc.ListenLocal(t.Context(), path)
	require.NoError(t, err)
	memory := rpc.NewMemory()
	inside, err := memory.Dial(rpc.ClientConfig{})
	require.NoError(t, err)
	allow := map[string][]string{
		keyauthv1.KeyAuthService_VerifyKey_FullMethodName: {certs.Proxy},
		keyauthv1.AccountService_CreateKey_FullMethodName: {certs.Operator},
	}
	h := open(t, configs{server: rpc.ServerConfig{Allow: allow}}, rpc.JoinListeners(memory.Listener(), lis), inside)
	h.keys.verify = func(context.Context) error { return nil }
	require.NoError(t, h.verify(t.Context()))
	require.NoError(t, h.createKey(t.Context()))

	h.conn, err = rpc.DialLocal(t.Context(), path, rpc.ClientConfig{})
	require.NoError(t, err)
	defer func() { _ = h.conn.Close() }()
	require.NoError(t, h.createKey(t.Context()))
	require.True(t, apperr.Is(h.verify(t.Context()), apperr.AuthForbidden))
}
