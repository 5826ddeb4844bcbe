package store

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// readLimit is how long a reader's statement may take. What needs longer is
// refused, so that readers cannot keep the store from its work.
const readLimit = 5 * time.Second

// readParams are what readers ask Postgres for: a limit that holds even if we
// die, plans for the very values that are looked for, as they may be common or
// rare, and room enough to add up a month without sorting it on disk.
func readParams() map[string]string {
	return map[string]string{
		"statement_timeout": strconv.FormatInt(readLimit.Milliseconds(), 10),
		"plan_cache_mode":   "force_custom_plan",
		"work_mem":          "32MB",
	}
}

// asker is a pool or a transaction.
type asker interface {
	QueryContext(ctx context.Context, statement string, args ...any) (*sql.Rows, error)
}

// each runs a reader's statement and hands over its rows one by one.
func (s *Store) each(ctx context.Context, statement string, args []any, row func(*sql.Rows) error) error {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	return unread(ask(ctx, s.db.Read(), statement, args, row))
}

func ask(ctx context.Context, db asker, statement string, args []any, row func(*sql.Rows) error) error {
	rows, err := db.QueryContext(ctx, statement, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// askRecords reads the first column of a statement.
func askRecords(ctx context.Context, db asker, statement string, args []any) ([]record.Record, error) {
	var found []record.Record
	err := ask(ctx, db, statement, args, func(rows *sql.Rows) error {
		r, err := scanRecord(rows)
		if err != nil {
			return err
		}
		found = append(found, *r)
		return nil
	})
	return found, err
}

// unread is what a reader is told. Having taken too long is something that the
// reader can do something about.
func unread(err error) error {
	var pg *pgconn.PgError
	const canceled = "57014"
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &pg) && pg.Code == canceled:
		return apperr.New(apperr.StoreUnavailable,
			"this takes the ledger too long: ask for a shorter time or narrow the filter").Because(err)
	}
	return unavailable(err)
}
