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
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"

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
	db *sqldb.DB

	mu sync.Mutex
	// partitions holds the days that are known to need no new partition.
	partitions map[int64]bool
}

// Open opens the ledger and brings its schema up to date.
func Open(ctx context.Context, url string) (*Store, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	db, err := sqldb.Open(ctx, url, sqldb.Options{Schema: schema, Migrations: files})
	if err != nil {
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	return &Store{db: db, partitions: map[int64]bool{}}, nil
}

// Ping reports whether the store answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Close closes the ledger after running queries have ended.
func (s *Store) Close() error { return s.db.Close() }

// unavailable is what a reader is told when the store cannot be asked.
func unavailable(err error) error {
	return apperr.New(apperr.StoreUnavailable, "the ledger cannot be read at the moment").Because(err)
}

// classify marks errors of Postgres that are about the data: class 22 is a bad
// value, class 23 a broken constraint.
func classify(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && (strings.HasPrefix(pg.Code, "22") || strings.HasPrefix(pg.Code, "23")) {
		return errors.Join(record.ErrRefused, err)
	}
	return err
}
