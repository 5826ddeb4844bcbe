package e2e

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// writeCertificate writes a certificate for localhost with its key to a folder, as HAProxy reads
// it, and returns the roots that trust it.
func writeCertificate(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	var file bytes.Buffer
	require.NoError(t, pem.Encode(&file, &pem.Block{Type: "CERTIFICATE", Bytes: der}))
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(file.Bytes()))
	require.NoError(t, pem.Encode(&file, &pem.Block{Type: "PRIVATE KEY", Bytes: private}))
	// The balancer's user is another one. A real folder belongs to that user.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "localhost.pem"), file.Bytes(), 0o644)) //nolint:gosec // of the test only
	return roots
}

// requireTLS switches TLS on in front of the running stack, as docs/operations.md describes.
func (s *stackRig) requireTLS() {
	dir := s.t.TempDir()
	roots := writeCertificate(s.t, dir)
	_, port, _ := strings.Cut(os.Getenv("SIGNALBOX_PUBLISH"), ":")
	base := "https://localhost:" + port
	s.env = append(s.env, "SIGNALBOX_TLS_DIR="+dir, "SIGNALBOX_PUBLIC_URL="+base)
	s.compose("up", "-d", "--wait", "--no-build")

	client := tlsClient(roots)
	post := func(path, body, key string) *http.Response {
		req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, base+path, strings.NewReader(body))
		require.NoError(s.t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+key)
		res, err := client.Do(req)
		require.NoError(s.t, err)
		_ = res.Body.Close()
		require.Equal(s.t, http.StatusOK, res.StatusCode)
		require.Equal(s.t, 2, res.ProtoMajor)
		return res
	}
	post("/proxy/v1/chat/completions", `{"model":"small","messages":[{"role":"user","content":"mark-0-0"}]}`, s.keys[0])
	res := post("/api/v1/login", `{"email":"`+OperatorEmail+`","password":"`+OperatorPassword+`"}`, "")
	cookies := res.Cookies()
	require.NotEmpty(s.t, cookies)
	require.True(s.t, cookies[0].Secure)
	require.True(s.t, strings.HasPrefix(cookies[0].Name, "__Host-"), cookies[0].Name)
	s.t.Logf("containers| TLS in front: a request and a login over HTTP/2 and %s, session cookie %s", tls.VersionName(res.TLS.Version), cookies[0].Name)

	renewed := tlsClient(writeCertificate(s.t, dir))
	s.compose("kill", "-s", "USR2", "balancer")
	require.Eventually(s.t, func() bool {
		res, err := renewed.Get(base + "/readyz")
		if err == nil {
			_ = res.Body.Close()
		}
		return err == nil && res.StatusCode == http.StatusOK
	}, waitTimeout, 10*pollInterval, "the renewed certificate is not served")
	s.t.Logf("containers| TLS in front: a renewed certificate is served after SIGUSR2")
}

func tlsClient(roots *x509.CertPool) *http.Client {
	return &http.Client{Timeout: waitTimeout, Transport: &http.Transport{
		ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
	}}
}
