package store

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// postgresReadParams returns the session settings of read connections.
func postgresReadParams(timeout time.Duration) map[string]string {
	return map[string]string{
		"statement_timeout": milliseconds(timeout),
		// A plan for common values would be slow for rare values.
		"plan_cache_mode": "force_custom_plan",
		// To compile a plan takes longer than to run it: 260 of 277 ms for a rare value among ten
		// million requests.
		"jit": "off",
		// This is enough to aggregate a month without sorting on disk.
		"work_mem": "32MB",
	}
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// readRows runs a read statement with the read timeout and calls scan for each
// row. The returned error is suitable for clients.
func (s *Store) readRows(ctx context.Context, statement string, args []any, scan func(*sql.Rows) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeouts.Read)
	defer cancel()
	return toReadError(sqldb.EachRow(ctx, s.db.Read(), statement, args, scan))
}

// readPageRows does the same for a page of the dashboard, which may be read from a replica and then
// lags behind.
func (s *Store) readPageRows(ctx context.Context, statement string, args []any, scan func(*sql.Rows) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeouts.Read)
	defer cancel()
	return toReadError(sqldb.EachRow(ctx, s.db.Replica(), statement, args, scan))
}

// queryRecords runs a statement that selects the column record.
func queryRecords(ctx context.Context, db sqldb.Querier, statement string, args []any) ([]record.Record, error) {
	return sqldb.QueryAll(ctx, db, statement, args, func(rows *sql.Rows) (record.Record, error) {
		r, err := scanRecord(rows)
		if err != nil {
			return record.Record{}, err
		}
		return *r, nil
	})
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
