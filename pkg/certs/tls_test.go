package certs_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/certs"
)

// meet performs a handshake and exchanges a byte. A TLS 1.3 client finishes before the server
// has verified it, and sees the result only when it reads.
func meet(t *testing.T, client, server *tls.Config) (seen tls.ConnectionState, clientErr, serverErr error) {
	t.Helper()
	near, far := net.Pipe()
	served := make(chan error, 1)
	go func() {
		conn := tls.Server(far, server)
		_, err := conn.Write([]byte("!"))
		served <- err
		_ = far.Close()
	}()
	conn := tls.Client(near, client)
	_, clientErr = conn.Read(make([]byte, 1))
	_ = near.Close()
	return conn.ConnectionState(), clientErr, <-served
}

func TestRightRolesMeet(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, certs.Proxy, certs.Keyauth)
	seen, clientErr, serverErr := meet(t, load(t, dir, certs.Proxy).ClientTLS(certs.Keyauth), load(t, dir, certs.Keyauth).ServerTLS())
	require.NoError(t, clientErr)
	require.NoError(t, serverErr)
	require.EqualValues(t, tls.VersionTLS13, seen.Version)
}

func TestEachSideRefuses(t *testing.T) {
	dir, old, other := t.TempDir(), t.TempDir(), t.TempDir()
	require.NoError(t, certs.Write(dir, []string{certs.Proxy}, nil, time.Now().AddDate(-2, 0, 0)))
	require.NoError(t, os.CopyFS(old, os.DirFS(dir)))
	write(t, dir, certs.Proxy, certs.Keyauth)
	write(t, other, certs.Proxy)
	expired, err := certs.Load(old, certs.Proxy)
	require.NoError(t, err)
	tls12 := load(t, dir, certs.Proxy).ClientTLS(certs.Keyauth)
	tls12.MinVersion, tls12.MaxVersion = tls.VersionTLS12, tls.VersionTLS12
	tests := []struct {
		name     string
		give     *tls.Config
		byClient string
		byServer string
	}{
		{"a server of another role", load(t, dir, certs.Proxy).ClientTLS(certs.Router), "role keyauth, not router", ""},
		{"a server of another CA", load(t, other, certs.Proxy).ClientTLS(certs.Keyauth), "unknown authority", ""},
		{"a client of another CA", trusting(load(t, other, certs.Proxy)), "", "unknown authority"},
		{"an expired client", trusting(expired), "", "expired"},
		{"a client without a certificate", &tls.Config{InsecureSkipVerify: true}, "", "didn't provide a certificate"},
		{"a client without a role", showing(noRole(t, dir)), "", "contains no role"},
		{"old TLS", tls12, "", "unsupported versions"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, clientErr, serverErr := meet(t, tt.give, load(t, dir, certs.Keyauth).ServerTLS())
			require.ErrorContains(t, clientErr, tt.byClient)
			require.ErrorContains(t, serverErr, tt.byServer)
		})
	}
}

// A server with an expired certificate keeps running, but clients reject it.
func TestClientRefusesAnExpiredServer(t *testing.T) {
	dir, old := t.TempDir(), t.TempDir()
	require.NoError(t, certs.Write(dir, []string{certs.Keyauth}, nil, time.Now().AddDate(-2, 0, 0)))
	require.NoError(t, os.CopyFS(old, os.DirFS(dir)))
	write(t, dir, certs.Proxy)
	expired, err := certs.Load(old, certs.Keyauth)
	require.NoError(t, err)
	_, clientErr, _ := meet(t, load(t, dir, certs.Proxy).ClientTLS(certs.Keyauth), expired.ServerTLS())
	require.ErrorContains(t, clientErr, "expired")
}

// trusting accepts any server, so that only the server has a reason to reject.
func trusting(id *certs.Identity) *tls.Config {
	cfg := id.ClientTLS(certs.Keyauth)
	cfg.VerifyConnection = nil
	return cfg
}

func showing(cert tls.Certificate) *tls.Config {
	return &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{cert}}
}

// noRole is a valid certificate of the CA in dir without a role.
func noRole(t *testing.T, dir string) tls.Certificate {
	t.Helper()
	ca, err := tls.LoadX509KeyPair(filepath.Join(dir, "ca/cert.pem"), filepath.Join(dir, "ca/key.pem"))
	require.NoError(t, err)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		NotBefore: time.Now(), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, ca.Leaf, key.Public(), ca.PrivateKey)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
