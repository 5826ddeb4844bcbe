package redisx_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/redisx"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
)

// patience bounds waits for a failover, which takes about two seconds.
const patience = 30 * time.Second

// dialTimeout includes the TLS handshake, which takes seconds on a machine whose cores are busy.
const dialTimeout = 10 * time.Second

func open(t *testing.T, url string) redis.UniversalClient {
	t.Helper()
	c, err := redisx.Open(url, redisx.Options{DialTimeout: dialTimeout, Timeout: 10 * time.Second, Conns: 4})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// A killed primary is replaced, and the client finds the new one. What was replicated is there.
func TestAClientFollowsSentinels(t *testing.T) {
	t.Parallel()
	s := testenv.Sentinel(t)
	c := open(t, s.URL)
	require.NoError(t, c.Set(t.Context(), "before", "1", 0).Err())
	// WAIT returns how many replicas have the write.
	require.Equal(t, int64(1), c.Do(t.Context(), "WAIT", 1, 5000).Val())
	require.NoError(t, s.KillPrimary())
	require.Eventually(t, func() bool { return c.Set(t.Context(), "after", "1", 0).Err() == nil }, patience, 50*time.Millisecond)
	require.Equal(t, "1", c.Get(t.Context(), "before").Val())
	require.False(t, redisx.IsCluster(c))
}

func TestAClientUsesEveryPrimaryOfACluster(t *testing.T) {
	t.Parallel()
	c := open(t, testenv.Cluster(t))
	require.True(t, redisx.IsCluster(c))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for n := range 30 {
		require.NoError(t, c.Set(ctx, strconv.Itoa(n), n, 0).Err())
	}
	var shards atomic.Int32 // ForEachMaster calls in parallel
	cluster, _ := c.(*redis.ClusterClient)
	require.NoError(t, cluster.ForEachMaster(ctx, func(ctx context.Context, one *redis.Client) error {
		shards.Add(1)
		if one.DBSize(ctx).Val() == 0 {
			return fmt.Errorf("%s has no key", one.Options().Addr)
		}
		return nil
	}))
	require.EqualValues(t, 3, shards.Load())
}

// A killed primary of a cluster cannot tell its clients where its slots went.
func TestAClientFollowsACluster(t *testing.T) {
	t.Parallel()
	all, err := testenv.StartRedisCluster(1)
	require.NoError(t, err)
	t.Cleanup(all.Stop)
	c := open(t, all.URL)
	require.NoError(t, c.Set(t.Context(), "key", "1", 0).Err())
	require.NoError(t, all.KillPrimaryOf("key"))
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		return c.Set(ctx, "key", "2", 0).Err() == nil
	}, patience, 50*time.Millisecond)
}

// A client with TLS trusts only the CA of its URL, and an ACL user needs its password.
func TestTLSAndACLUsers(t *testing.T) {
	t.Parallel()
	ca, cert, key := certificate(t)
	port := testenv.FreePort(t)
	testenv.Redis(t, "--tls-port", port, "--tls-cert-file", cert, "--tls-key-file", key, "--tls-ca-cert-file", ca, "--tls-auth-clients", "no",
		"--user", "signalbox", "on", ">sesame", "~signalbox:*", "+@all")
	ping := func(url string) error { return open(t, url).Ping(t.Context()).Err() }
	require.NoError(t, ping("rediss://signalbox:sesame@localhost:"+port+"?ca="+ca))
	require.ErrorContains(t, ping("rediss://signalbox:wrong@localhost:"+port+"?ca="+ca), "WRONGPASS")
	require.ErrorContains(t, ping("rediss://signalbox:sesame@localhost:"+port), "certificate")
	require.ErrorContains(t, ping("rediss://signalbox:sesame@127.0.0.1:"+port+"?ca="+ca), "certificate")
	require.NoError(t, ping("rediss://signalbox:sesame@127.0.0.1:"+port+"?server_name=localhost&ca="+ca))
	require.ErrorContains(t, open(t, "rediss://signalbox:sesame@localhost:"+port+"?ca="+ca).Get(t.Context(), "other").Err(), "NOPERM")
}

// certificate returns the files of a certificate for localhost that is its own CA.
func certificate(t *testing.T) (ca, cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	return cert, cert, key
}
