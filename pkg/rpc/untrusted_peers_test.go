package rpc_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/rpc"
)

func TestStrangersAreRefused(t *testing.T) {
	dir, old := renewed(t)
	other := newCA(t, certs.Proxy)
	tests := []struct {
		name   string
		client rpc.ClientConfig
		want   string
	}{
		{"plaintext", rpc.ClientConfig{}, "does not look like a TLS handshake"},
		{"other CA", as(t, mixed(t, other, dir), certs.Proxy), "unknown authority"},
		{"expired", as(t, old, certs.Proxy), "expired"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, _ := secureHouse(t, dir, tt.client)
			requireUnavailable(t, h.verify(t.Context()))
			requireLogged(t, h, tt.want)
		})
	}
}

// A client that trusts the server but has no certificate.
func TestNoCertificateIsRefused(t *testing.T) {
	dir := newCA(t, certs.Keyauth)
	h, addr := secureHouse(t, dir, as(t, dir, certs.Keyauth))
	creds, err := credentials.NewClientTLSFromFile(filepath.Join(dir, "ca", "cert.pem"), "")
	require.NoError(t, err)
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(creds))
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, err = healthv1.NewHealthClient(conn).Check(t.Context(), &healthv1.HealthCheckRequest{})
	requireUnavailable(t, err)
	requireLogged(t, h, "didn't provide a certificate")
}

func TestWrongServersAreRefused(t *testing.T) {
	dir, other := newCA(t, certs.Keyauth, certs.Proxy), newCA(t, certs.Proxy)
	h, _ := secureHouse(t, dir, as(t, other, certs.Proxy))
	require.ErrorContains(t, h.verify(t.Context()), "unknown authority")
	h, _ = secureHouse(t, dir, rpc.ClientConfig{Identity: load(t, dir, certs.Proxy), Peer: certs.Router})
	require.ErrorContains(t, h.verify(t.Context()), "role keyauth, not router")
	onEachNetwork(t, configs{client: as(t, dir, certs.Proxy)}, func(t *testing.T, h *house) {
		requireUnavailable(t, h.verify(t.Context()))
	})
}

// requireLogged checks the server's log, because the client may see the connection close before
// it sees the reason.
func requireLogged(t *testing.T, h *house, why string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(h.log.String(), why) }, soon, often)
}

func requireUnavailable(t *testing.T, err error) {
	t.Helper()
	require.Equal(t, codes.Unavailable, status.Code(err), "%v", err)
}

// renewed is a CA with fresh certificates, and the same CA before, when the proxy's had expired.
func renewed(t *testing.T) (fresh, old string) {
	t.Helper()
	fresh, old = t.TempDir(), t.TempDir()
	require.NoError(t, certs.Write(fresh, []string{certs.Proxy}, nil, time.Now().AddDate(-2, 0, 0)))
	require.NoError(t, os.CopyFS(old, os.DirFS(fresh)))
	require.NoError(t, certs.Write(fresh, []string{certs.Proxy, certs.Keyauth}, nil, time.Now()))
	return fresh, old
}

// mixed has certificates of one CA and trusts another one too, so that only the server has a
// reason to reject.
func mixed(t *testing.T, from, trusts string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
	mine, err := os.ReadFile(filepath.Join(from, "ca", "cert.pem"))
	require.NoError(t, err)
	theirs, err := os.ReadFile(filepath.Join(trusts, "ca", "cert.pem"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, certs.Proxy, "ca.pem"), append(mine, theirs...), 0o600))
	return dir
}
