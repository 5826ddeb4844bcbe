package sqldb_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"database/sql"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
)

var numbers = fstest.MapFS{"postgres/0001_numbers.sql": {Data: []byte("CREATE TABLE numbers (n BIGINT PRIMARY KEY, label TEXT)")}}

func insertNumber(ctx context.Context, db *sqldb.DB, n int) error {
	return db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO numbers (n, label) VALUES ($1, $2)", n, "label")
		return err
	})
}

func countNumbers(t *testing.T, from *sql.DB) (n int) {
	t.Helper()
	require.NoError(t, from.QueryRowContext(t.Context(), "SELECT count(*) FROM numbers").Scan(&n))
	return n
}

// The store finds the host that accepts writes, before and after a failover, and reads what may lag
// from the replica. Certificates are checked with the name of the host.
func TestSeveralHosts(t *testing.T) {
	t.Parallel()
	p, err := testenv.StartPostgresPair()
	require.NoError(t, err)
	t.Cleanup(p.Stop)
	ca := enableTLS(t, p)
	o := sqldb.Options{Schema: "hosts", Migrations: numbers, ReadParams: map[string]string{"work_mem": "1MB"}, ReplicaURL: p.ReadURL}
	db, err := sqldb.Open(t.Context(), p.URL, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, insertNumber(t.Context(), db, 1))

	standby := func(from *sql.DB) (yes bool) {
		require.NoError(t, from.QueryRowContext(t.Context(), "SELECT pg_is_in_recovery()").Scan(&yes))
		return yes
	}
	require.False(t, standby(db.Read()))
	require.True(t, standby(db.Replica()))
	requireVerifiedTLS(t, p.URL, ca)

	require.NoError(t, p.FailOver())
	require.Eventually(t, func() bool { return insertNumber(t.Context(), db, 2) == nil }, 20*time.Second, 20*time.Millisecond)
	require.Equal(t, 2, countNumbers(t, db.Read()))
	require.Equal(t, 2, countNumbers(t, db.Replica()))
}

// requireVerifiedTLS opens the first host of a URL.
func requireVerifiedTLS(t *testing.T, url, ca string) {
	t.Helper()
	head, tail, _ := strings.Cut(url, ",")
	name := tail[strings.Index(tail, "/"):strings.Index(tail, "?")]
	secured := func(host, root string) error {
		u := strings.Replace(head, "127.0.0.1", host, 1) + name + "?sslmode=verify-full&sslrootcert=" + root
		db, err := sqldb.Open(t.Context(), u, sqldb.Options{Schema: "hosts", Migrations: numbers})
		if err != nil {
			return err
		}
		var encrypted bool
		err = db.Read().QueryRowContext(t.Context(), "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").Scan(&encrypted)
		require.True(t, encrypted)
		return errors.Join(err, db.Close())
	}
	require.NoError(t, secured("localhost", ca))
	require.ErrorContains(t, secured("127.0.0.1", ca), "certificate")
	other, _, _ := newCertificate(t)
	require.ErrorContains(t, secured("localhost", other), "certificate")
}

func enableTLS(t *testing.T, p *testenv.PostgresPair) (ca string) {
	t.Helper()
	ca, certificate, key := newCertificate(t)
	require.NoError(t, p.EnableTLS(certificate, key))
	return ca
}

// newCertificate returns a certificate for localhost that is its own CA.
func newCertificate(t *testing.T) (file string, certificate, key []byte) {
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
	certificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	file = filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(file, certificate, 0o600))
	return file, certificate, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
}

// Behind PgBouncer, transactions of one connection run on different connections of the server.
func TestPgBouncerInTransactionMode(t *testing.T) {
	t.Parallel()
	b, err := testenv.StartPgBouncer()
	require.NoError(t, err)
	t.Cleanup(b.Stop)
	o := sqldb.Options{Schema: "pooled", Migrations: numbers, ReadParams: map[string]string{"work_mem": "1MB"}}
	login := sqldb.ServiceLogin{Name: "signalbox_keyauth", Password: "sesame", Schema: "pooled"}
	url := strings.Replace(b.URL, "postgres@", login.Name+":sesame@", 1)
	_, err = sqldb.Open(t.Context(), b.URL, o)
	require.ErrorContains(t, err, "run signalbox logins again", "the superuser has no search path of its own")
	require.NoError(t, sqldb.CreateLogins(t.Context(), b.URL, []sqldb.ServiceLogin{login}))
	db, err := sqldb.Open(t.Context(), url, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.False(t, db.CanCopy(), "a failed COPY would keep a connection of the server")
	var wg sync.WaitGroup
	for n := range 200 {
		wg.Go(func() {
			if err := insertNumber(t.Context(), db, n); err != nil {
				t.Errorf("insert %d: %v", n, err)
			}
			var label string
			if err := db.Read().QueryRowContext(t.Context(), "SELECT label FROM numbers WHERE n = $1", n).Scan(&label); err != nil || label != "label" {
				t.Errorf("read %d: %q, %v", n, label, err)
			}
		})
	}
	wg.Wait()
	require.Equal(t, 200, countNumbers(t, db.Read()))
	_, err = sqldb.Open(t.Context(), strings.Replace(url, "pgbouncer=true", "pgbouncer=yes", 1), o)
	require.ErrorContains(t, err, "pgbouncer must be true or false")
}
