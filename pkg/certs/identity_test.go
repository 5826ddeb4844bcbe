package certs_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/certs"
)

// Files are checked again only after a second.
const aSecond = time.Second

func load(t *testing.T, dir, role string) *certs.Identity {
	t.Helper()
	id, err := certs.Load(dir, role)
	require.NoError(t, err)
	require.NoError(t, id.Err())
	return id
}

func TestLoadRefusesWhatCouldNeverWork(t *testing.T) {
	other := t.TempDir()
	write(t, other, certs.Proxy)
	tests := map[string]struct {
		spoil func(t *testing.T, dir string)
		want  string
	}{
		"missing":          {func(t *testing.T, dir string) { require.NoError(t, os.Remove(filepath.Join(dir, "proxy/cert.pem"))) }, "no such file"},
		"no CA":            {func(t *testing.T, dir string) { require.NoError(t, os.Remove(filepath.Join(dir, "proxy/ca.pem"))) }, "proxy/ca.pem"},
		"broken CA":        {func(t *testing.T, dir string) { replace(t, dir, "proxy/ca.pem", "broken") }, "no certificate"},
		"another's key":    {func(t *testing.T, dir string) { replace(t, dir, "proxy/key.pem", content(t, dir, "router/key.pem")) }, "does not match"},
		"another CA":       {func(t *testing.T, dir string) { replace(t, dir, "proxy/ca.pem", content(t, other, "proxy/ca.pem")) }, "unknown authority"},
		"another's papers": {takeRouters, "the role router, not proxy"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, certs.Proxy, certs.Router)
			tt.spoil(t, dir)
			_, err := certs.Load(dir, certs.Proxy)
			require.ErrorContains(t, err, "certificate of proxy")
			require.ErrorContains(t, err, tt.want)
		})
	}
	_, err := certs.Load(other, "../proxy")
	require.ErrorContains(t, err, "unknown role")
}

func takeRouters(t *testing.T, dir string) {
	replace(t, dir, "proxy/cert.pem", content(t, dir, "router/cert.pem"))
	replace(t, dir, "proxy/key.pem", content(t, dir, "router/key.pem"))
}

func TestExpiryIsReportedAndEndsWithARenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, certs.Write(dir, []string{certs.Proxy}, nil, time.Now().AddDate(-2, 0, 0)))
		id, err := certs.Load(dir, certs.Proxy)
		require.NoError(t, err, "a service may be useful without its peers")
		require.ErrorContains(t, id.Err(), "expired")
		write(t, dir, certs.Proxy)
		<-time.After(aSecond)
		require.NoError(t, id.Err())
		<-time.After(400 * 24 * time.Hour)
		require.ErrorContains(t, id.Err(), "expired")
	})
}

func TestFilesAreLookedAtOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		write(t, dir, certs.Proxy)
		id := load(t, dir, certs.Proxy)
		replace(t, dir, "proxy/cert.pem", "broken")
		<-time.After(aSecond - 1)
		require.NoError(t, id.Err())
		<-time.After(1)
		require.Error(t, id.Err())
	})
}

// A restored file is accepted again, whatever its date.
func TestBrokenFilesAreReadUntilTheyAreWhole(t *testing.T) {
	for _, name := range []string{"proxy/ca.pem", "proxy/cert.pem", "proxy/key.pem"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				write(t, dir, certs.Proxy)
				id := load(t, dir, certs.Proxy)
				aside := filepath.Join(t.TempDir(), "aside")
				require.NoError(t, os.Rename(filepath.Join(dir, name), aside))
				<-time.After(aSecond)
				require.ErrorContains(t, id.Err(), "certificate of proxy")
				require.NoError(t, os.Rename(aside, filepath.Join(dir, name)))
				<-time.After(aSecond)
				require.NoError(t, id.Err())
			})
		})
	}
}

func TestCertificateOfTheFutureWaitsForItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		write(t, dir, certs.Proxy)
		id := load(t, dir, certs.Proxy)
		require.NoError(t, certs.Write(dir, []string{certs.Proxy}, nil, time.Now().AddDate(0, 1, 0)))
		<-time.After(aSecond)
		require.ErrorContains(t, id.Err(), "not yet valid")
		<-time.After(32 * 24 * time.Hour)
		require.NoError(t, id.Err())
	})
}
