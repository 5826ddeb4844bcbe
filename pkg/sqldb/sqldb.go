// Package sqldb opens the store of a service: a SQLite file or a Postgres
// schema, with its migrations applied. The two differ here and in the
// migrations; queries are written once, with $1 placeholders, which both
// understand. It knows nothing of what is stored.
package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Dialect is which database answers.
type Dialect string

// The dialects.
const (
	SQLite   Dialect = "sqlite"
	Postgres Dialect = "postgres"
)

// Options say what a service's store is.
type Options struct {
	// Schema is the service's own schema in Postgres; SQLite has a file each.
	Schema string
	// Migrations has the folders sqlite and postgres with NNNN_name.sql files.
	// They are applied in order, once, and never change after a release.
	Migrations fs.FS
	// Params are settings of every connection to Postgres.
	Params map[string]string
	// ReadParams are settings of connections for queries alone. With any, these
	// have a pool of their own, so that readers never keep writers waiting.
	ReadParams map[string]string
}

// DB is an open store, safe for concurrent use.
type DB struct {
	Dialect Dialect
	name    string // the file or the schema, for errors
	read    *sql.DB
	write   *sql.DB
	// probe has one connection, which Ping alone uses: a store whose other
	// connections are all busy is not lost.
	probe *sql.DB
}

// Open opens sqlite:///abs/file.db or postgres://… and brings its schema up to
// date. Several processes may open the same Postgres schema at once. Errors
// name the file, and never the url, which may hold a password.
func Open(ctx context.Context, url string, o Options) (*DB, error) {
	var db *DB
	var err error
	switch {
	case strings.HasPrefix(url, sqliteScheme):
		db, err = openSQLite(strings.TrimPrefix(url, sqliteScheme))
	case strings.HasPrefix(url, "postgres://"), strings.HasPrefix(url, "postgresql://"):
		db, err = openPostgres(ctx, url, o)
	default:
		return nil, errors.New("a store is named by sqlite:///path/file.db or postgres://…")
	}
	if err != nil {
		return nil, err
	}
	if err := db.migrate(ctx, o); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// Read is for queries. On SQLite it cannot write.
func (db *DB) Read() *sql.DB { return db.read }

// Write runs f in one transaction: all of it happens, or, when f returns an
// error, nothing. On SQLite writers take turns from the start of f.
func (db *DB) Write(ctx context.Context, f func(tx *sql.Tx) error) error {
	tx, err := db.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if err := f(tx); err != nil {
		return errors.Join(err, rollback(tx))
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// Ping reports whether the store answers. It is for readiness, and does not
// wait for queries that are running.
func (db *DB) Ping(ctx context.Context) error {
	var one int
	if err := db.probe.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return fmt.Errorf("ask the store: %w", err)
	}
	return nil
}

// Close closes the store after running queries have ended.
func (db *DB) Close() error {
	errs := []error{db.probe.Close(), db.read.Close()}
	if db.write != db.read {
		errs = append(errs, db.write.Close())
	}
	return errors.Join(errs...)
}

// rollback reports only what is not already known: a transaction whose context
// ended has been rolled back.
func rollback(tx *sql.Tx) error {
	err := tx.Rollback()
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

// IsUnique reports whether err is a refused duplicate.
func IsUnique(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code == "23505"
	}
	var lite *sqlite.Error
	if errors.As(err, &lite) {
		return lite.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || lite.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
	}
	return false
}
