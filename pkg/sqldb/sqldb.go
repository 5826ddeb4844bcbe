// Package sqldb opens the store of a service, and applies its migrations. The store is a SQLite file or a
// Postgres schema. Services write most queries once, with $1 placeholders, which both databases accept. Where the
// databases differ, a service checks DB.Dialect. The package does not interpret the data.
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

// Dialect is the kind of database.
type Dialect string

// These are the supported databases.
const (
	SQLite   Dialect = "sqlite"
	Postgres Dialect = "postgres"
)

// Options describes the store of a service.
type Options struct {
	// Schema is the service's schema in Postgres. In SQLite each service has its own file
	// instead.
	Schema string
	// Migrations contains the directories sqlite and postgres with files such as 0001_name.sql. Each file
	// is applied once, in order. A file must not change after a release. The directories undo/sqlite and
	// undo/postgres contain files of the same names, which take a migration back for a downgrade.
	Migrations fs.FS
	// ReadParams are connection settings for queries on Postgres. If they are set, queries use a separate
	// pool of connections, so that readers do not take connections from writers.
	ReadParams map[string]string
	// ReplicaURL is the Postgres for queries that may be some seconds behind. If it is empty, or on
	// SQLite, these queries use the store itself.
	ReplicaURL string
}

// DB is an open store, safe for concurrent use.
type DB struct {
	Dialect Dialect
	name    string // the SQLite file or the Postgres schema, for errors
	pooled  bool   // the connections lead to PgBouncer
	read    *sql.DB
	replica *sql.DB
	write   *sql.DB
	// probe has one connection, which only Ping uses. So a store whose other connections are all busy
	// still counts as healthy.
	probe *sql.DB
}

// Open opens sqlite:///abs/file.db or postgres://… and applies the missing migrations. Several processes
// may open the same Postgres schema at the same time. Errors never contain the URL, because it may contain
// a password.
func Open(ctx context.Context, url string, o Options) (*DB, error) {
	db, err := connect(ctx, url, o)
	if err != nil {
		return nil, err
	}
	if err := db.migrate(ctx, o); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// connect opens a store with the schema that it has.
func connect(ctx context.Context, url string, o Options) (*DB, error) {
	switch {
	case strings.HasPrefix(url, sqliteScheme):
		return openSQLite(strings.TrimPrefix(url, sqliteScheme))
	case isPostgres(url):
		return openPostgres(ctx, url, o)
	default:
		return nil, errors.New("the store URL must look like sqlite:///path/file.db or postgres://…")
	}
}

// Read returns the connections for queries. On SQLite, these connections cannot write.
func (db *DB) Read() *sql.DB { return db.read }

// Replica returns the connections for queries whose results may lag behind, such as the pages of the
// dashboard. Without a replica, they are those of Read.
func (db *DB) Replica() *sql.DB { return db.replica }

// WithoutReplica returns a view of the store whose Replica is Read, for results that must not lag behind. It
// shares the connections, so only the store itself must be closed.
func (db *DB) WithoutReplica() *DB {
	view := *db
	view.replica = view.read
	return &view
}

// Write runs f in a transaction. It commits if f returns nil, and otherwise rolls back. On SQLite, only one
// transaction runs at a time.
func (db *DB) Write(ctx context.Context, f func(tx *sql.Tx) error) error {
	tx, err := db.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	return runTransaction(tx, f)
}

// WriteOn is Write for transactions that use the connection itself, for example to copy rows. f must not
// close the connection, nor use it after returning.
func (db *DB) WriteOn(ctx context.Context, f func(tx *sql.Tx, conn *sql.Conn) error) error {
	conn, err := db.write.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close() }() // returns it to the pool
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	return runTransaction(tx, func(tx *sql.Tx) error { return f(tx, conn) })
}

// runTransaction runs f and commits the transaction, or rolls it back if f fails or panics.
func runTransaction(tx *sql.Tx, f func(tx *sql.Tx) error) (err error) {
	defer func() { err = errors.Join(err, rollBack(tx)) }() // does nothing after a commit
	if err := f(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// CanCopy reports whether rows can be copied with COPY. Behind PgBouncer they are not: some of its versions
// keep a connection of the server for a client whose COPY failed (https://github.com/pgbouncer/pgbouncer/pull/1471).
func (db *DB) CanCopy() bool { return db.Dialect == Postgres && !db.pooled }

// Ping returns an error if the store does not respond. It is meant for readiness checks, and does not wait
// for running queries.
func (db *DB) Ping(ctx context.Context) error {
	var one int
	if err := db.probe.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return fmt.Errorf("ping store: %w", err)
	}
	return nil
}

// Close closes the store after running queries have finished.
func (db *DB) Close() error {
	errs := []error{db.probe.Close(), db.read.Close()}
	if db.write != db.read {
		errs = append(errs, db.write.Close())
	}
	if db.replica != db.read {
		errs = append(errs, db.replica.Close())
	}
	return errors.Join(errs...)
}

// rollBack ignores ErrTxDone: a transaction whose context is done has already been rolled back.
func rollBack(tx *sql.Tx) error {
	err := tx.Rollback()
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

// IsUniqueViolation reports whether err means that a unique constraint was violated.
func IsUniqueViolation(err error) bool {
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
