package store

import (
	"context"
	"database/sql"
	"io/fs"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/retention"
)

// Count runs a query that returns one number.
func (s *Store) Count(ctx context.Context, query string) (n int, err error) {
	err = s.db.Read().QueryRowContext(ctx, query).Scan(&n)
	return n, err
}

// Dialect returns the kind of the database.
func (s *Store) Dialect() sqldb.Dialect { return s.db.Dialect }

// Exec runs a statement directly on the database.
func (s *Store) Exec(ctx context.Context, statement string) error {
	return s.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, statement)
		return err
	})
}

// Hold runs f while a statement's locks are held.
func (s *Store) Hold(ctx context.Context, statement string, f func()) error {
	return s.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, statement)
		f()
		return err
	})
}

// SetClock sets the clock. SetLockTimeout sets the lock timeout of inserts.
func (s *Store) SetClock(now func() time.Time)      { s.now = now }
func (s *Store) SetLockTimeout(limit time.Duration) { s.timeouts.Lock = limit }

// OrDefaults sets the fields that are 0.
func OrDefaults(t Timeouts) Timeouts { return t.orDefaults() }

// SetWindowTimeout sets the time limit for searching a window.
func (s *Store) SetWindowTimeout(limit func(width time.Duration) time.Duration) {
	s.windowTimeout = func(width int64) time.Duration { return limit(time.Duration(width) * time.Microsecond) }
}

// SetMaxSorted sets how many matches a sorted page reads.
func (s *Store) SetMaxSorted(n int) { s.maxSorted = n }

// Decompress decodes content with the given encoding.
func (s *Store) Decompress(c *record.Content, encoding int64) error {
	return s.compressor.Decompress(c, encoding)
}

// PrefixEnd returns the first text after all texts with a prefix.
func PrefixEnd(prefix string) string { return prefixEnd(prefix) }

// Migrations are the store's migrations.
func Migrations() fs.FS { return migrations }

// Limits that tests need.
const (
	MaxNameSets = maxNameSets
	FeedLeast   = feedMinCommits
	MaxUnpacked = codec.MaxDecompressed
)

// ErrBusy means that a deletion must wait.
var ErrBusy = retention.ErrBusy

// LimitNameSets sets how long a search looks for sets of label names.
func (s *Store) LimitNameSets(limit time.Duration) { s.nameSetsTimeout = limit }

// PageWithTimeout is Page with another search timeout.
func (s *Store) PageWithTimeout(ctx context.Context, q record.Query, after *record.Cursor, limit int, patience time.Duration) (record.Page, error) {
	return s.searchPage(ctx, q, after, limit, patience)
}

// ExplainFailures returns the Postgres plan for a text search in failures.
func (s *Store) ExplainFailures(ctx context.Context, q record.Query, text string) (string, error) {
	f := &finder{store: s, query: q}
	statement, args := f.failuresStatement(queryRange(q), text)
	return s.plan(ctx, statement, args)
}

// ExplainImpact returns the Postgres plan for an impact by model.
func (s *Store) ExplainImpact(ctx context.Context, q record.Query) (string, error) {
	statement, args := s.buildAggregation(q, impactAggregation(record.GroupModel, 24*time.Hour))
	return s.plan(ctx, statement+" SELECT * FROM parts ORDER BY of_group", args)
}

// ExplainSessions returns the plan for a page of sessions.
func (s *Store) ExplainSessions(ctx context.Context, q record.SessionQuery) (string, error) {
	statement, args := s.buildSessions(q, nil, 51)
	return s.plan(ctx, statement, args)
}

// ExplainPage returns the plan for the newest matches.
func (s *Store) ExplainPage(ctx context.Context, q record.Query) (string, error) {
	f := &finder{store: s, query: q, wanted: 50, ignoresTimeIndex: !q.Sort.IsNewestFirst() && q.Sort.By != record.ByTime}
	statement, args := f.orderedStatement(queryRange(q))
	return s.plan(ctx, statement, args)
}

// ExplainMatches returns the Postgres plan for all matches in any order, as a search reads a wide
// window.
func (s *Store) ExplainMatches(ctx context.Context, q record.Query) (string, error) {
	f := &finder{store: s, query: q, wanted: 50}
	statement, args, err := f.buildMatchStatement(ctx, queryRange(q), maxUnordered+1)
	if err != nil {
		return "", err
	}
	tx, err := s.db.Read().BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return "", err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, forceBitmapScan); err != nil {
		return "", err
	}
	return planOf(ctx, tx, "EXPLAIN ", statement, args)
}

// MatchStatement returns the statement with which a search reads a wide window.
func (s *Store) MatchStatement(ctx context.Context, q record.Query) (string, []any, error) {
	f := &finder{store: s, query: q, wanted: 50}
	return f.buildMatchStatement(ctx, queryRange(q), maxUnordered+1)
}

// ExplainStatement returns the plan for a statement.
func (s *Store) ExplainStatement(ctx context.Context, statement string) (string, error) {
	return s.plan(ctx, statement, nil)
}

func (s *Store) plan(ctx context.Context, statement string, args []any) (string, error) {
	if s.db.Dialect == sqldb.SQLite {
		return planOf(ctx, s.db.Read(), "EXPLAIN QUERY PLAN ", statement, args, new(int), new(int), new(int))
	}
	return planOf(ctx, s.db.Read(), "EXPLAIN ", statement, args)
}

// planOf returns a plan. others are the columns before the text.
func planOf(ctx context.Context, db sqldb.Querier, explain, statement string, args []any, others ...any) (string, error) {
	var lines []string
	var line string
	columns := append(others, &line)
	err := sqldb.EachRow(ctx, db, explain+statement, args, func(rows *sql.Rows) error {
		err := rows.Scan(columns...)
		lines = append(lines, line)
		return err
	})
	return strings.Join(lines, "\n"), err
}
