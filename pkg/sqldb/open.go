package sqldb

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

const sqliteScheme = "sqlite://"

const (
	// sqliteReaders limits the concurrent queries on SQLite.
	sqliteReaders = 4
	// idleTime is how long an unused connection of a pool stays open.
	idleTime = time.Minute
	// openTimeout limits how long connecting to a store or creating logins may take.
	openTimeout = 10 * time.Second
)

// SQLiteURL returns the URL of a SQLite file.
func SQLiteURL(path string) string { return sqliteScheme + path }

func openSQLite(path string) (*DB, error) {
	if !filepath.IsAbs(path) {
		// The message omits the path, because a mistyped postgres URL may contain a password.
		return nil, errors.New("sqlite store: the path must be absolute, for example sqlite:///path/file.db")
	}
	// Create the file with permissions for its owner only. SQLite would use the default permissions. The
	// WAL files next to it get the same permissions.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	write, err := sql.Open("sqlite", sqliteDSN(path, "synchronous(FULL)"))
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	// SQLite allows one writer at a time. Waiting for this connection is fairer than waiting for SQLite's
	// lock.
	write.SetMaxOpenConns(1)
	if err := enableWAL(write); err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", path, err), write.Close())
	}
	read, err := sql.Open("sqlite", sqliteDSN(path, "query_only(1)"))
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	read.SetMaxOpenConns(sqliteReaders)
	// A new connection costs more than most queries, and by default only two stay open. An open one may hold
	// 2 MiB of pages, so it closes if nothing uses it.
	read.SetMaxIdleConns(sqliteReaders)
	read.SetConnMaxIdleTime(idleTime)
	probe, err := sql.Open("sqlite", sqliteDSN(path, "query_only(1)"))
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	probe.SetMaxOpenConns(1)
	return &DB{Dialect: SQLite, name: path, read: read, replica: read, write: write, probe: probe}, nil
}

// enableWAL opens the first connection, which switches the file to WAL mode. It retries if another process
// does the same at that moment, because SQLite's busy_timeout does not apply to this lock.
func enableWAL(db *sql.DB) error {
	until := time.Now().Add(openTimeout)
	for {
		err := db.Ping()
		var busy *sqlite.Error
		if !errors.As(err, &busy) || busy.Code()&0xff != sqlite3.SQLITE_BUSY || time.Now().After(until) {
			return err
		}
		<-time.After(10 * time.Millisecond)
	}
}

func sqliteDSN(path, pragma string) string {
	q := url.Values{
		"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "foreign_keys(1)", pragma},
		"_txlock": {"immediate"},
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

// ErrUnreachable means that the store may become available soon: no server responds, or the server is
// starting, stopping, or out of connections.
var ErrUnreachable = errors.New("postgres cannot be reached")

// classifyConnectError returns ErrUnreachable, unless the server responded with an error that a retry cannot
// fix, such as a rejected login.
func classifyConnectError(err error) error {
	var pgErr *pgconn.PgError
	const starting, stopping, crashed, full = "57P03", "57P01", "57P02", "53300"
	if errors.As(err, &pgErr) {
		switch pgErr.Code {
		case starting, stopping, crashed, full:
		default:
			return fmt.Errorf("connect to postgres: %w", err)
		}
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, err)
}
