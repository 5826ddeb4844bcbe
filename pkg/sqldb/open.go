package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

const sqliteScheme = "sqlite://"

const (
	// readers is how many queries SQLite answers at the same time.
	readers = 4
	// pool is how many connections a service holds to Postgres.
	pool = 10
	// openTimeout bounds the first contact with Postgres.
	openTimeout = 10 * time.Second
)

// SQLiteURL is the url of a file in a data directory.
func SQLiteURL(path string) string { return sqliteScheme + path }

func openSQLite(path string) (*DB, error) {
	if !filepath.IsAbs(path) {
		// Not quoted: a url of another kind with the wrong name has a password.
		return nil, errors.New("sqlite store: the path must be absolute, as in sqlite:///path/file.db")
	}
	// The file is made before SQLite makes it, so that only its owner can
	// read it; the files beside it inherit that.
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
	// SQLite has one writer at a time: queueing here is fairer than its lock.
	write.SetMaxOpenConns(1)
	if err := settle(write); err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", path, err), write.Close())
	}
	read, err := sql.Open("sqlite", sqliteDSN(path, "query_only(1)"))
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	read.SetMaxOpenConns(readers)
	probe, err := sql.Open("sqlite", sqliteDSN(path, "query_only(1)"))
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	probe.SetMaxOpenConns(1)
	return &DB{Dialect: SQLite, name: path, read: read, write: write, probe: probe}, nil
}

// settle makes the first connection, which switches the file to its log. SQLite
// does not wait for another process that is doing the same at that moment, as
// it does for all other locks.
func settle(db *sql.DB) error {
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

func openPostgres(ctx context.Context, url string, o Options) (*DB, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		// The driver's message may quote the url, password included.
		return nil, fmt.Errorf("open store: the postgres url cannot be read")
	}
	maps.Copy(cfg.RuntimeParams, o.Params)
	cfg.RuntimeParams["search_path"] = o.Schema
	cfg.RuntimeParams["application_name"] = "signalbox-" + o.Schema
	db := stdlib.OpenDB(*cfg)
	db.SetMaxOpenConns(pool)
	db.SetMaxIdleConns(pool)
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	if err := db.PingContext(ctx); err != nil {
		_ = db.Close()
		return nil, unreached(err)
	}
	probe := stdlib.OpenDB(*cfg)
	probe.SetMaxOpenConns(1)
	return &DB{Dialect: Postgres, name: o.Schema, read: readPool(cfg, o, db), write: db, probe: probe}, nil
}

func readPool(cfg *pgx.ConnConfig, o Options, db *sql.DB) *sql.DB {
	if len(o.ReadParams) == 0 {
		return db
	}
	cfg = cfg.Copy()
	maps.Copy(cfg.RuntimeParams, o.ReadParams)
	read := stdlib.OpenDB(*cfg)
	read.SetMaxOpenConns(pool)
	read.SetMaxIdleConns(pool)
	return read
}

// ErrUnreachable is why a store could not be opened that may well be there in a
// moment: nobody answers yet, or the server is starting or stopping.
var ErrUnreachable = errors.New("postgres cannot be reached")

// unreached tells a server that is not there from one that refuses us.
func unreached(err error) error {
	var refusal *pgconn.PgError
	const starting, stopping, crashed, full = "57P03", "57P01", "57P02", "53300"
	if errors.As(err, &refusal) {
		switch refusal.Code {
		case starting, stopping, crashed, full:
		default:
			return fmt.Errorf("reach postgres: %w", err)
		}
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, err)
}
