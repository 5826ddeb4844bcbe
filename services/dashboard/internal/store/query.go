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

// readTimeout limits one read. Slower reads are canceled, so that they do not slow
// down ingest.
const readTimeout = 5 * time.Second

// postgresReadParams returns the session settings of read connections.
func postgresReadParams() map[string]string {
	return map[string]string{
		// Postgres cancels a slow read even if this process has died.
		"statement_timeout": strconv.FormatInt(readTimeout.Milliseconds(), 10),
		// A plan for common values would be slow for rare values.
		"plan_cache_mode": "force_custom_plan",
		// This is enough to aggregate a month without sorting on disk.
		"work_mem": "32MB",
	}
}

// querier is a connection pool or a transaction.
type querier interface {
	QueryContext(ctx context.Context, statement string, args ...any) (*sql.Rows, error)
}

// readRows runs a read statement with the read timeout and calls scan for each
// row. The returned error is suitable for clients.
func (s *Store) readRows(ctx context.Context, statement string, args []any, scan func(*sql.Rows) error) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return toReadError(queryRows(ctx, s.db.Read(), statement, args, scan))
}

func queryRows(ctx context.Context, db querier, statement string, args []any, scan func(*sql.Rows) error) error {
	rows, err := db.QueryContext(ctx, statement, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// queryRecords runs a statement that selects the column record.
func queryRecords(ctx context.Context, db querier, statement string, args []any) ([]record.Record, error) {
	var found []record.Record
	err := queryRows(ctx, db, statement, args, func(rows *sql.Rows) error {
		r, err := scanRecord(rows)
		if err != nil {
			return err
		}
		found = append(found, *r)
		return nil
	})
	return found, err
}

// toReadError converts a database error into an error for clients. A timeout gets
// its own message, because users can fix it with a narrower query.
func toReadError(err error) error {
	var pg *pgconn.PgError
	const canceled = "57014"
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &pg) && pg.Code == canceled:
		return apperr.New(apperr.StoreUnavailable,
			"the query took too long; choose a shorter time range or a narrower filter").WithCause(err)
	}
	return unavailableError(err)
}
