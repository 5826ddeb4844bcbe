package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	sqliteBytes   = `SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()`
	postgresBytes = `SELECT CAST(COALESCE(SUM(pg_total_relation_size(oid)), 0) AS BIGINT) FROM pg_class
		WHERE relkind = 'r' AND relnamespace = CAST('` + schema + `' AS regnamespace)`
	lastStoredQuery = `SELECT at_us FROM feed ORDER BY position DESC LIMIT 1`
)

// StorageInfo returns the size of the ledger, indexes included, and the time of
// the last commit.
func (s *Store) StorageInfo(ctx context.Context) (record.StorageInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeouts.Read)
	defer cancel()
	v := record.StorageInfo{Database: string(s.db.Dialect)}
	query := sqliteBytes
	if s.db.Dialect == sqldb.Postgres {
		query = postgresBytes
	}
	if err := s.db.Read().QueryRowContext(ctx, query).Scan(&v.Bytes); err != nil {
		return record.StorageInfo{}, toReadError(err)
	}
	var at int64
	err := s.db.Read().QueryRowContext(ctx, lastStoredQuery).Scan(&at)
	if errors.Is(err, sql.ErrNoRows) {
		return v, nil
	}
	v.LastStored = time.UnixMicro(at).UTC()
	return v, toReadError(err)
}
