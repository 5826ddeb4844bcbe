package store

import (
	"context"
	"database/sql"
	"io/fs"
	"strings"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Count answers a query of one number, for tests of what no caller can see.
func (s *Store) Count(ctx context.Context, query string) (n int, err error) {
	err = s.db.Read().QueryRowContext(ctx, query).Scan(&n)
	return n, err
}

// Exec changes the store behind its back.
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

// SetClock sets the clock, and SetLockLimit how long an insert waits for locks.
func (s *Store) SetClock(now func() time.Time)    { s.now = now }
func (s *Store) SetLockLimit(limit time.Duration) { s.lockLimit = limit }

// SetLookLimit sets how long a search looks through a window of a width.
func (s *Store) SetLookLimit(limit func(width time.Duration) time.Duration) {
	s.lookLimit = func(width int64) time.Duration { return limit(time.Duration(width) * time.Microsecond) }
}

// Unpack reads content that was stored in some way.
func (s *Store) Unpack(c *record.Content, encoding int64) error { return s.packer.unpack(c, encoding) }

// Migrations are the store's own.
func Migrations() fs.FS { return migrations }

// The bounds that tests need to know.
const (
	FeedLeast   = feedLeast
	MaxUnpacked = maxUnpacked
)

// ErrBusy is why something is not removed now.
var ErrBusy = errBusy

// PageWithin is Page with another patience.
func (s *Store) PageWithin(ctx context.Context, q record.Query, after *record.Cursor, limit int, patience time.Duration) (record.Page, error) {
	return s.page(ctx, q, after, limit, patience)
}

// PlanOfFailures is how Postgres looks for a text in what failed.
func (s *Store) PlanOfFailures(ctx context.Context, q record.Query, text string) (string, error) {
	f := &finder{store: s, query: q}
	statement, args := f.failed(spanOf(q), text)
	return s.plan(ctx, statement, args)
}

// PlanOfImpact is how Postgres adds up what a query finds, by model.
func (s *Store) PlanOfImpact(ctx context.Context, q record.Query) (string, error) {
	statement, args := s.parts(q, impactTotal(record.GroupModel, 24*time.Hour))
	return s.plan(ctx, statement+" ORDER BY of_group", args)
}

func (s *Store) plan(ctx context.Context, statement string, args []any) (string, error) {
	lines, err := s.texts(ctx, "EXPLAIN "+statement, args...)
	return strings.Join(lines, "\n"), err
}
