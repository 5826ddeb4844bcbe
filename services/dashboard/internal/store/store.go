// Package store keeps the ledger: the records, their content, the proof of
// what was stored, and what could not be read. One set of queries runs on
// SQLite and on Postgres, and storetest holds both to the same promises. It
// decides nothing about who may read; every query names its account.
package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

//go:embed migrations
var migrations embed.FS

// schema is the dashboard's own in a shared Postgres.
const schema = "dashboard"

// Store is the ledger, safe for concurrent use.
type Store struct {
	db     *sqldb.DB
	packer *packer
	now    func() time.Time
	// lockLimit is how long an insert waits for a lock.
	lockLimit time.Duration
	// lookLimit is how long a search looks through a window of so many
	// microseconds.
	lookLimit func(width int64) time.Duration

	mu sync.Mutex
	// partitions holds those that are known to need no making, by name.
	partitions map[string]bool
}

// Open opens the ledger and brings its schema up to date.
func Open(ctx context.Context, url string) (*Store, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	packer, err := newPacker()
	if err != nil {
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	db, err := sqldb.Open(ctx, url, sqldb.Options{Schema: schema, Migrations: files, ReadParams: readParams()})
	if err != nil {
		packer.close()
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	return &Store{
		db: db, packer: packer, now: time.Now, lockLimit: lockLimit, partitions: map[string]bool{},
		lookLimit: func(int64) time.Duration { return lookLimit },
	}, nil
}

// Ping reports whether the store answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Close closes the ledger after running queries have ended.
func (s *Store) Close() error {
	defer s.packer.close()
	return s.db.Close()
}

// unavailable is what a reader is told when the store cannot be asked.
func unavailable(err error) error {
	return apperr.New(apperr.StoreUnavailable, "the ledger cannot be read at the moment").Because(err)
}

// classify marks errors that are about the data. Of Postgres, class 22 is a bad
// value, 23 a broken constraint, and 54 something too long or too much.
func classify(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && slices.Contains([]string{"22", "23", "54"}, pg.Code[:min(len(pg.Code), 2)]) {
		return errors.Join(record.ErrRefused, err)
	}
	var lite *sqlite.Error
	if errors.As(err, &lite) && slices.Contains([]int{sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH}, lite.Code()&0xff) {
		return errors.Join(record.ErrRefused, err)
	}
	return err
}
