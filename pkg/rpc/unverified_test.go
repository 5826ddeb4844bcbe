package rpc_test

import (
	"context"
	"net"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/rpc"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// Every user of the machine can reach a plaintext address: such a caller may be a service, but
// never the operator.
func TestPlaintextIsNotTheOperators(t *testing.T) {
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	conn, err := rpc.Dial(lis.Addr().String(), rpc.ClientConfig{})
	require.NoError(t, err)
	allow := map[string][]string{
		keyauthv1.KeyAuthService_VerifyKey_FullMethodName: {certs.Operator, certs.Proxy},
		keyauthv1.AccountService_CreateKey_FullMethodName: {certs.Operator},
	}
	h := open(t, configs{server: rpc.ServerConfig{Allow: allow}}, lis, conn)
	var role string
	h.keys.verify = func(ctx context.Context) error {
		role = rpc.CallerRole(ctx)
		return nil
	}
	require.NoError(t, h.verify(t.Context()))
	require.Equal(t, rpc.RoleUnverified, role)
	require.True(t, apperr.Is(h.createKey(t.Context()), apperr.AuthForbidden))
	require.Contains(t, h.log.String(), "role="+rpc.RoleUnverified)
	_, err = h.watch(t).Recv()
	require.True(t, apperr.Is(err, apperr.AuthForbidden), "methods that are not listed are rejected")
	require.NoError(t, rpc.CheckServing(t.Context(), conn))
}

// Beside an address with certificates, the socket needs none and does not weaken the address.
func TestASocketBesideCertificates(t *testing.T) {
	path := filepath.Join(shortDir(t), "box.sock")
	local, err := rpc.ListenLocal(t.Context(), path)
	require.NoError(t, err)
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	conn, err := rpc.DialLocal(t.Context(), path, rpc.ClientConfig{})
	require.NoError(t, err)
	id := load(t, newCA(t, certs.Keyauth), certs.Keyauth)
	h := open(t, configs{server: rpc.ServerConfig{Identity: id, Allow: table}}, rpc.JoinListeners(lis, local), conn)
	h.keys.verify = func(context.Context) error { return nil }
	require.NoError(t, h.createKey(t.Context()))
	require.True(t, apperr.Is(h.verify(t.Context()), apperr.AuthForbidden), "the operator's role has its limits")

	h.conn, err = rpc.Dial(lis.Addr().String(), rpc.ClientConfig{})
	require.NoError(t, err)
	defer func() { _ = h.conn.Close() }()
	requireUnavailable(t, h.createKey(t.Context()))
}

func TestASocketIsNotTakenFromTheLiving(t *testing.T) {
	path := filepath.Join(shortDir(t), "box.sock")
	first, err := rpc.ListenLocal(t.Context(), path)
	require.NoError(t, err)
	_, err = rpc.ListenLocal(t.Context(), path)
	require.ErrorIs(t, err, rpc.ErrSocketInUse)
	require.FileExists(t, path)
	require.NoError(t, first.Close())
	require.NoFileExists(t, path)
}
