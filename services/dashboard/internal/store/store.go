// Package store is the ledger's database on SQLite or Postgres. It contains:
//   - records, their content, and sums by hour and day (aggregates)
//   - dead letters: entries that could not be decoded or stored
//   - the committed ranges of sequence numbers, which prove what is stored
//   - the feed: the recent commits, for readers that follow live
//
// Insert writes a batch. A batch may be repeated. Page, Get, Impact, Series and
// Tail read the records of one account. The package does not check permissions.
// Package storetest tests both databases against the same contract. The packages
// ingest, completeness, upkeep and web use the store.
package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/retention"
)

//go:embed migrations
var migrations embed.FS

// schema is the dashboard's schema in a shared Postgres database.
const schema = "dashboard"

// Store is the ledger. It is safe for concurrent use.
type Store struct {
	// Days deletes old data and creates partitions.
	*retention.Days

	db         *sqldb.DB
	compressor *codec.Compressor
	now        func() time.Time
	timeouts   Timeouts
	// windowTimeout returns how long the search of one time window may take. width
	// is the width of the window in microseconds.
	windowTimeout func(width int64) time.Duration
	// nameSetsTimeout limits findNameSets.
	nameSetsTimeout time.Duration
	// maxSorted is how many matches of a filter a sorted page reads.
	maxSorted int
}

// Open opens the ledger with the default timeouts and migrates its schema.
func Open(ctx context.Context, url string) (*Store, error) {
	return OpenConfig(ctx, Config{URL: url})
}

// Config holds the settings of a ledger.
type Config struct {
	URL string
	// Replica is the URL of the Postgres that reads the pages of the dashboard; empty for none.
	Replica  string
	Timeouts Timeouts
}

// OpenConfig opens the ledger and migrates its schema.
func OpenConfig(ctx context.Context, c Config) (*Store, error) {
	timeouts := c.Timeouts.orDefaults()
	o, err := Options()
	if err != nil {
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	o.ReadParams, o.ReplicaURL = postgresReadParams(timeouts.Read), c.Replica
	packer, err := codec.NewCompressor()
	if err != nil {
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	db, err := sqldb.Open(ctx, c.URL, o)
	if err != nil {
		packer.Close()
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	s := &Store{
		db: db, compressor: packer, now: time.Now, maxSorted: defaultMaxSorted, timeouts: timeouts,
		windowTimeout: func(int64) time.Duration { return timeouts.Window }, nameSetsTimeout: defaultNameSetsTimeout,
	}
	s.Days = retention.New(db, func() time.Time { return s.now() })
	return s, nil
}

// Options returns the schema of the ledger and its migrations.
func Options() (sqldb.Options, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return sqldb.Options{}, fmt.Errorf("read migrations: %w", err)
	}
	return sqldb.Options{Schema: schema, Migrations: files}, nil
}

// Primary returns a view of the ledger that never reads from the replica, for decisions that must
// not depend on its lag. It shares the connections, so only the ledger itself must be closed.
func (s *Store) Primary() *Store {
	view := *s
	view.db = s.db.WithoutReplica()
	return &view
}

// Ping checks that the database responds.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Close waits for running queries and closes the ledger.
func (s *Store) Close() error {
	defer s.compressor.Close()
	return s.db.Close()
}

func unavailableError(err error) error {
	return apperr.New(apperr.StoreUnavailable, "the ledger is temporarily unavailable; try again").WithCause(err)
}

// markRejected adds ErrRejected to errors about the data. In Postgres, error
// class 22 is an invalid value, 23 a violated constraint, and 54 an exceeded limit.
func markRejected(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && slices.Contains([]string{"22", "23", "54"}, pg.Code[:min(len(pg.Code), 2)]) {
		return errors.Join(record.ErrRejected, err)
	}
	var lite *sqlite.Error
	if errors.As(err, &lite) && slices.Contains([]int{sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH}, lite.Code()&0xff) {
		return errors.Join(record.ErrRejected, err)
	}
	return err
}
