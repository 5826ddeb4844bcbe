package sqldb_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const createA = `CREATE TABLE a (id BIGINT PRIMARY KEY, v TEXT NOT NULL);
CREATE INDEX a_v ON a (v);`

func files(extra ...string) fstest.MapFS {
	fs := fstest.MapFS{}
	for _, dialect := range []string{"sqlite", "postgres"} {
		fs[dialect+"/0001_a.sql"] = &fstest.MapFile{Data: []byte(createA)}
		for _, text := range extra {
			fs[dialect+"/0002_b.sql"] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return fs
}

func eachDialect(t *testing.T, f func(t *testing.T, url string)) {
	t.Run("sqlite", func(t *testing.T) { f(t, sqldb.SQLiteURL(filepath.Join(t.TempDir(), "s.db"))) })
	t.Run("postgres", func(t *testing.T) { f(t, testenv.Postgres(t)) })
}

func open(t *testing.T, url string, fs fstest.MapFS) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(t.Context(), url, sqldb.Options{Schema: "s", Migrations: fs})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func insert(ctx context.Context, db *sqldb.DB, id int64) error {
	return db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO a (id, v) VALUES ($1, $2)`, id, "v")
		return err
	})
}

func count(t *testing.T, db *sqldb.DB) (n int) {
	t.Helper()
	require.NoError(t, db.Read().QueryRowContext(t.Context(), `SELECT count(*) FROM a`).Scan(&n))
	return n
}

func TestMigrationsApplyOnceAndInOrder(t *testing.T) {
	eachDialect(t, func(t *testing.T, url string) {
		db := open(t, url, files())
		require.NoError(t, insert(t.Context(), db, 1))
		again := open(t, url, files(`ALTER TABLE a ADD COLUMN w TEXT`))
		require.Equal(t, 1, count(t, again))
		_, err := again.Read().ExecContext(t.Context(), `SELECT w FROM a`)
		require.NoError(t, err)
	})
}

func TestBrokenMigrationLeavesTheOldSchema(t *testing.T) {
	eachDialect(t, func(t *testing.T, url string) {
		open(t, url, files())
		broken := files(`CREATE TABLE half (id BIGINT); SELECT nonsense FROM nowhere`)
		_, err := sqldb.Open(t.Context(), url, sqldb.Options{Schema: "s", Migrations: broken})
		require.ErrorContains(t, err, "0002_b.sql")
		db := open(t, url, files(`CREATE TABLE half (id BIGINT)`))
		require.Equal(t, 0, count(t, db))
	})
}

func TestNewerStoreIsRefused(t *testing.T) {
	eachDialect(t, func(t *testing.T, url string) {
		open(t, url, files(`ALTER TABLE a ADD COLUMN w TEXT`))
		_, err := sqldb.Open(t.Context(), url, sqldb.Options{Schema: "s", Migrations: files()})
		require.ErrorContains(t, err, "newer version")
	})
}

func TestPreReleaseStoreIsRefused(t *testing.T) {
	eachDialect(t, func(t *testing.T, url string) {
		open(t, url, files())
		renamed := fstest.MapFS{}
		for name, file := range files() {
			renamed[strings.Replace(name, "0001_", "0001_other_", 1)] = file
		}
		_, err := sqldb.Open(t.Context(), url, sqldb.Options{Schema: "s", Migrations: renamed})
		require.ErrorContains(t, err, "pre-release version")
	})
}

func TestWriteIsAllOrNothing(t *testing.T) {
	eachDialect(t, func(t *testing.T, url string) {
		db := open(t, url, files())
		boom := errors.New("boom")
		err := db.Write(t.Context(), func(tx *sql.Tx) error {
			_, err := tx.ExecContext(t.Context(), `INSERT INTO a (id, v) VALUES (1, 'v')`)
			require.NoError(t, err)
			return boom
		})
		require.ErrorIs(t, err, boom)
		require.Equal(t, 0, count(t, db))
	})
}

func TestUniqueIsTold(t *testing.T) {
	eachDialect(t, func(t *testing.T, url string) {
		db := open(t, url, files())
		require.NoError(t, insert(t.Context(), db, 1))
		require.True(t, sqldb.IsUniqueViolation(insert(t.Context(), db, 1)))
		require.False(t, sqldb.IsUniqueViolation(errors.New("other")))
	})
}

func TestConcurrentWritersAllSucceed(t *testing.T) {
	eachDialect(t, func(t *testing.T, url string) {
		db := open(t, url, files())
		var wg sync.WaitGroup
		errs := make([]error, 50)
		for i := range errs {
			wg.Go(func() { errs[i] = insert(t.Context(), db, int64(i)) })
		}
		wg.Wait()
		require.NoError(t, errors.Join(errs...))
		require.Equal(t, len(errs), count(t, db))
	})
}

func TestConcurrentOpensMigrateOnce(t *testing.T) {
	url := testenv.Postgres(t)
	var wg sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		wg.Go(func() {
			db, err := sqldb.Open(t.Context(), url, sqldb.Options{Schema: "s", Migrations: files()})
			if err == nil {
				err = db.Close()
			}
			errs[i] = err
		})
	}
	wg.Wait()
	require.NoError(t, errors.Join(errs...))
}

func TestSQLiteFileIsPrivateAndReadersCannotWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "odd ?#% name.db")
	db := open(t, sqldb.SQLiteURL(path), files())
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	_, err = db.Read().ExecContext(t.Context(), `INSERT INTO a (id, v) VALUES (1, 'v')`)
	require.Error(t, err)
	var mode string
	require.NoError(t, db.Read().QueryRowContext(t.Context(), `PRAGMA journal_mode`).Scan(&mode))
	require.Equal(t, "wal", mode)
}

// A commit returns once the disk has it. Otherwise a power failure could lose records that the
// spool has already deleted.
func TestSQLiteWaitsForTheDisk(t *testing.T) {
	db := open(t, sqldb.SQLiteURL(filepath.Join(t.TempDir(), "s.db")), files())
	var level int
	require.NoError(t, db.Write(t.Context(), func(tx *sql.Tx) error {
		return tx.QueryRowContext(t.Context(), `PRAGMA synchronous`).Scan(&level)
	}))
	const full = 2
	require.Equal(t, full, level)
}

func TestErrorsNameTheFile(t *testing.T) {
	dir := t.TempDir()
	damaged := filepath.Join(dir, "damaged.db")
	require.NoError(t, os.WriteFile(damaged, []byte("this is no database, however long it is looked at"), 0o600))
	for _, path := range []string{dir, damaged, filepath.Join(dir, "nowhere", "s.db")} {
		_, err := sqldb.Open(t.Context(), sqldb.SQLiteURL(path), sqldb.Options{Schema: "s", Migrations: files()})
		require.ErrorContains(t, err, path)
	}
}

func TestBadURLsAreRefusedWithoutShowingThem(t *testing.T) {
	for _, url := range []string{"", "mysql://x", "sqlite://relative.db", "sqlite://bob:hunter2@x", "postgres://u:hunter2@[::bad"} {
		_, err := sqldb.Open(t.Context(), url, sqldb.Options{Schema: "s", Migrations: files()})
		require.Error(t, err)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

// TestReadersHaveTheirOwnSettings checks that ReadParams reach readers only.
func TestReadersHaveTheirOwnSettings(t *testing.T) {
	db, err := sqldb.Open(t.Context(), testenv.Postgres(t), sqldb.Options{
		Schema: "s", Migrations: files(), ReadParams: map[string]string{"statement_timeout": "1234"},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	var limit string
	require.NoError(t, db.Read().QueryRowContext(t.Context(), `SHOW statement_timeout`).Scan(&limit))
	require.Equal(t, "1234ms", limit)
	require.NoError(t, db.Write(t.Context(), func(tx *sql.Tx) error {
		return tx.QueryRowContext(t.Context(), `SHOW statement_timeout`).Scan(&limit)
	}))
	require.Equal(t, "0", limit)
}
