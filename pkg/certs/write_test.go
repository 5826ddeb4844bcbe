package certs_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/certs"
)

var errGaveUp = errors.New("gave up")

func write(t *testing.T, dir string, roles ...string) {
	t.Helper()
	require.NoError(t, certs.Write(dir, roles, nil, time.Now()))
}

func content(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(b)
}

func replace(t *testing.T, dir, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}

func certificate(t *testing.T, dir, role string) *x509.Certificate {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, role, "cert.pem"), filepath.Join(dir, role, "key.pem"))
	require.NoError(t, err)
	return pair.Leaf
}

// A role's directory is all that its service needs, and contains no other secret.
func TestWriteMakesAFolderForEachRole(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	write(t, dir, certs.Proxy, certs.Operator)
	modes := map[string]os.FileMode{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := e.Info()
		require.NoError(t, err)
		name, err := filepath.Rel(dir, path)
		require.NoError(t, err)
		modes[name] = info.Mode().Perm()
		return nil
	}))
	require.Equal(t, map[string]os.FileMode{
		".": 0o700, "ca": 0o700, "proxy": 0o700, "operator": 0o700,
		"ca/cert.pem": 0o644, "ca/key.pem": 0o600,
		"proxy/ca.pem": 0o644, "proxy/cert.pem": 0o644, "proxy/key.pem": 0o600,
		"operator/ca.pem": 0o644, "operator/cert.pem": 0o644, "operator/key.pem": 0o600,
	}, modes)
	alone := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(alone, certs.Proxy), os.DirFS(filepath.Join(dir, certs.Proxy))))
	load(t, alone, certs.Proxy)
}

func TestCertificateNamesRoleAndHosts(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, certs.Write(dir, []string{certs.Router}, []string{"router.example", "10.0.0.7"}, time.Now()))
	c := certificate(t, dir, certs.Router)
	for _, host := range []string{"localhost", "router", "127.0.0.1", "::1", "router.example", "10.0.0.7"} {
		require.NoError(t, c.VerifyHostname(host))
	}
	require.Error(t, c.VerifyHostname("keyauth"))
	require.Len(t, c.URIs, 1)
	require.Equal(t, "signalbox://role/router", c.URIs[0].String())
	require.Equal(t, x509.ECDSAWithSHA256, c.SignatureAlgorithm)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM([]byte(content(t, dir, "ca/cert.pem"))))
	for _, usage := range []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth} {
		_, err := c.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{usage}})
		require.NoError(t, err)
	}
}

func TestWriteRenewsFromTheSameCA(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, certs.Proxy, certs.Router)
	ca, key := content(t, dir, "ca/cert.pem"), content(t, dir, "ca/key.pem")
	proxy, router := content(t, dir, "proxy/cert.pem"), content(t, dir, "router/cert.pem")
	write(t, dir, certs.Proxy)
	require.Equal(t, ca, content(t, dir, "ca/cert.pem"))
	require.Equal(t, key, content(t, dir, "ca/key.pem"))
	require.NotEqual(t, proxy, content(t, dir, "proxy/cert.pem"))
	require.Equal(t, router, content(t, dir, "router/cert.pem"))
	_, err := certs.Load(dir, certs.Proxy)
	require.NoError(t, err)
}

func TestCertificateNeverOutlivesItsCA(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	require.NoError(t, certs.Write(dir, []string{certs.Proxy}, nil, now.AddDate(-9, -6, 0)))
	write(t, dir, certs.Proxy)
	require.True(t, certificate(t, dir, certs.Proxy).NotAfter.Before(now.AddDate(0, 7, 0)))
}

// A new CA would lock out services that trust the existing one.
func TestWriteNeverReplacesACA(t *testing.T) {
	tests := map[string]func(t *testing.T, dir string){
		"key is missing": func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, "ca/key.pem")))
		},
		"certificate is missing": func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, "ca/cert.pem")))
		},
		"broken": func(t *testing.T, dir string) { replace(t, dir, "ca/cert.pem", "broken") },
		"not a CA": func(t *testing.T, dir string) {
			replace(t, dir, "ca/cert.pem", content(t, dir, "proxy/cert.pem"))
			replace(t, dir, "ca/key.pem", content(t, dir, "proxy/key.pem"))
		},
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, certs.Proxy)
			spoil(t, dir)
			requireUntouched(t, dir, time.Now())
		})
	}
	t.Run("expired", func(t *testing.T) {
		dir := t.TempDir()
		write(t, dir, certs.Proxy)
		requireUntouched(t, dir, time.Now().AddDate(11, 0, 0))
	})
}

func requireUntouched(t *testing.T, dir string, now time.Time) {
	t.Helper()
	before := everything(t, dir)
	require.ErrorContains(t, certs.Write(dir, []string{certs.Proxy}, nil, now), "CA")
	require.Equal(t, before, everything(t, dir))
}

func everything(t *testing.T, dir string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(dir + "/*/*")
	require.NoError(t, err)
	all := map[string]string{}
	for _, name := range names {
		all[name] = content(t, "", name)
	}
	return all
}

// Of two concurrent runs in a new directory, the second uses the first one's CA or fails.
func TestOneCAIsMade(t *testing.T) {
	dir := t.TempDir()
	results := make(chan error)
	for _, role := range certs.Roles() {
		go func() {
			err := certs.Write(dir, []string{role}, nil, time.Now())
			if err == nil {
				_, err = certs.Load(dir, role)
			} else {
				err = errGaveUp
			}
			results <- err
		}()
	}
	var made int
	for range certs.Roles() {
		if err := <-results; !errors.Is(err, errGaveUp) {
			require.NoError(t, err)
			made++
		}
	}
	require.NotZero(t, made)
}

func TestWriteChecksFirst(t *testing.T) {
	dir := t.TempDir()
	require.ErrorContains(t, certs.Write(dir, []string{"../proxy"}, nil, time.Now()), "unknown role")
	for _, host := range []string{"", "proxy:7001", "https://proxy", "a b"} {
		require.ErrorContains(t, certs.Write(dir, []string{certs.Proxy}, []string{host}, time.Now()), "host name")
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
}
