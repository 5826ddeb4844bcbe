package rpc_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/rpc"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// table is a typical permission table; ListKeys is missing on purpose.
var table = map[string][]string{
	keyauthv1.KeyAuthService_VerifyKey_FullMethodName: {certs.Proxy},
	keyauthv1.KeyAuthService_WatchKeys_FullMethodName: {certs.Proxy},
	keyauthv1.AccountService_CreateKey_FullMethodName: {certs.Dashboard, certs.Operator},
}

func newCA(t *testing.T, roles ...string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, certs.Write(dir, roles, nil, time.Now()))
	return dir
}

func load(t *testing.T, dir, role string) *certs.Identity {
	t.Helper()
	id, err := certs.Load(dir, role)
	require.NoError(t, err)
	return id
}

// secureHouse is keyauth over loopback TCP with the certificate in dir, called
// by the given client.
func secureHouse(t *testing.T, dir string, client rpc.ClientConfig) (h *house, addr string) {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr = lis.Addr().String()
	conn, err := rpc.Dial(addr, client)
	require.NoError(t, err)
	id := load(t, dir, certs.Keyauth)
	h = open(t, configs{server: rpc.ServerConfig{Identity: id, Allow: table}}, lis, conn)
	h.identity = id
	h.keys.verify = func(context.Context) error { return nil }
	h.keys.watch = func(s grpc.ServerStreamingServer[keyauthv1.WatchKeysResponse]) error {
		return s.Send(&keyauthv1.WatchKeysResponse{Version: 7})
	}
	return h, addr
}

func as(t *testing.T, dir, role string) rpc.ClientConfig {
	return rpc.ClientConfig{Identity: load(t, dir, role), Peer: certs.Keyauth}
}

func TestRoleDecidesWhatMayBeCalled(t *testing.T) {
	dir := newCA(t, certs.Roles()...)
	tests := []struct {
		role          string
		verify, write bool
	}{
		{certs.Proxy, true, false},
		{certs.Dashboard, false, true},
		{certs.Operator, false, true},
		{certs.Router, false, false},
		{certs.Keyauth, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.role, func(t *testing.T) {
			h, _ := secureHouse(t, dir, as(t, dir, tt.role))
			requireAllowed(t, tt.verify, tt.role, h.verify(t.Context()))
			_, err := h.watch(t).Recv()
			requireAllowed(t, tt.verify, tt.role, err)
			requireAllowed(t, tt.write, tt.role, h.createKey(t.Context()))
		})
	}
}

func requireAllowed(t *testing.T, allowed bool, role string, err error) {
	t.Helper()
	if allowed {
		require.NoError(t, err)
		return
	}
	var e *apperr.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, apperr.AuthForbidden, e.Code)
	require.Equal(t, role, e.Details["role"])
}

func TestMethodThatIsNotListedIsForNobody(t *testing.T) {
	dir := newCA(t, certs.Roles()...)
	for _, role := range certs.Roles() {
		h, _ := secureHouse(t, dir, as(t, dir, role))
		_, err := keyauthv1.NewAccountServiceClient(h.conn).ListKeys(t.Context(), &keyauthv1.ListKeysRequest{})
		requireAllowed(t, false, role, err)
		require.Contains(t, h.log.String(), "role="+role)
		require.Contains(t, h.log.String(), "method="+keyauthv1.AccountService_ListKeys_FullMethodName)
	}
}

func TestHealthIsForEveryRole(t *testing.T) {
	dir := newCA(t, certs.Keyauth, certs.Router)
	h, _ := secureHouse(t, dir, as(t, dir, certs.Router))
	require.NoError(t, rpc.CheckServing(t.Context(), h.conn))
	watch, err := healthv1.NewHealthClient(h.conn).Watch(t.Context(), &healthv1.HealthCheckRequest{})
	require.NoError(t, err)
	requireHealth(t, watch, healthv1.HealthCheckResponse_SERVING)
}

func TestTableNeedsRoles(t *testing.T) {
	onEachNetwork(t, configs{server: rpc.ServerConfig{Allow: table}}, func(t *testing.T, h *house) {
		h.keys.verify = func(context.Context) error { return nil }
		require.NoError(t, h.verify(t.Context()))
		require.NoError(t, h.createKey(t.Context()))
	})
}
