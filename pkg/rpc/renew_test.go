package rpc_test

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/rpc"
)

const (
	soon  = 10 * time.Second
	often = 50 * time.Millisecond
)

// An existing connection recovers when its files are renewed.
func TestClientTakesUpARenewedCertificate(t *testing.T) {
	dir, old := renewed(t)
	h, _ := secureHouse(t, dir, as(t, old, certs.Proxy))
	requireUnavailable(t, h.verify(t.Context()))
	require.NoError(t, certs.Write(old, []string{certs.Proxy}, nil, time.Now()))
	require.Eventually(t, func() bool { return h.verify(t.Context()) == nil }, soon, often)
}

func TestServerTakesUpARenewedCertificateAndNoBrokenOne(t *testing.T) {
	dir := newCA(t, certs.Keyauth, certs.Proxy)
	client := as(t, dir, certs.Proxy)
	h, addr := secureHouse(t, dir, client)
	first := shown(t, addr, client)
	require.NoError(t, h.verify(t.Context()))

	require.NoError(t, certs.Write(dir, []string{certs.Keyauth}, nil, time.Now()))
	require.Eventually(t, func() bool { return shown(t, addr, client) != first }, soon, often)
	second := shown(t, addr, client)

	require.NoError(t, os.WriteFile(filepath.Join(dir, certs.Keyauth, "cert.pem"), []byte("broken"), 0o600))
	require.Eventually(t, func() bool { return h.identity.Err() != nil }, soon, often)
	require.Equal(t, second, shown(t, addr, client))
	require.NoError(t, h.verify(t.Context()))
}

// shown returns the serial number of the certificate that a new connection sees.
func shown(t *testing.T, addr string, client rpc.ClientConfig) string {
	t.Helper()
	cfg := client.Identity.ClientTLS(client.Peer)
	cfg.NextProtos = []string{"h2"}
	conn, err := tls.Dial("tcp", addr, cfg)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.String()
}
