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
	lastGrown = `SELECT at_us FROM feed ORDER BY position DESC LIMIT 1`
)

// Volume tells how large the ledger is, with its indexes, and when it last grew.
func (s *Store) Volume(ctx context.Context) (record.Volume, error) {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	v := record.Volume{Kind: string(s.db.Dialect)}
	query := sqliteBytes
	if s.db.Dialect == sqldb.Postgres {
		query = postgresBytes
	}
	if err := s.db.Read().QueryRowContext(ctx, query).Scan(&v.Bytes); err != nil {
		return record.Volume{}, unread(err)
	}
	var at int64
	err := s.db.Read().QueryRowContext(ctx, lastGrown).Scan(&at)
	if errors.Is(err, sql.ErrNoRows) {
		return v, nil
	}
	v.Grown = time.UnixMicro(at).UTC()
	return v, unread(err)
}
