package certs_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/certs"
)

func TestExpiriesListTheFirstToEndFirst(t *testing.T) {
	dir := t.TempDir()
	_, err := certs.Expiries(dir)
	require.ErrorContains(t, err, "contains no certificates")
	now := time.Now()
	require.NoError(t, certs.Write(dir, []string{certs.Proxy}, nil, now.Add(-300*24*time.Hour)))
	require.NoError(t, certs.Write(dir, []string{certs.Router}, nil, now))
	all, err := certs.Expiries(dir)
	require.NoError(t, err)
	require.Len(t, all, 3)
	require.Equal(t, certs.Proxy, all[0].Role)
	require.Equal(t, certs.Router, all[1].Role)
	require.Equal(t, "ca", all[2].Role)
	require.NoError(t, os.WriteFile(dir+"/proxy/cert.pem", []byte("x"), 0o600))
	_, err = certs.Expiries(dir)
	require.ErrorContains(t, err, "certificate of proxy")
}

func TestIdentityWarnsBeforeItsCertificateEnds(t *testing.T) {
	for age, warns := range map[time.Duration]bool{0: false, 330 * 24 * time.Hour: false, 340 * 24 * time.Hour: true} {
		dir := t.TempDir()
		require.NoError(t, certs.Write(dir, []string{certs.Proxy}, nil, time.Now().Add(-age)))
		identity, err := certs.Load(dir, certs.Proxy)
		require.NoError(t, err)
		require.NoError(t, identity.Err(), "it is still valid")
		if !warns {
			require.NoError(t, identity.EndsSoon(), age)
			continue
		}
		require.ErrorContains(t, identity.EndsSoon(), "run signalbox certs again")
	}
}
