package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
)

const (
	lockProducer         = `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`
	deleteTouchingRanges = `DELETE FROM committed WHERE producer = $1 AND first_seq <= $2 AND last_seq >= $3
		RETURNING first_seq, last_seq`
	insertRange = `INSERT INTO committed (producer, first_seq, last_seq) VALUES ($1, $2, $3)`
)

// commitRanges adds the ranges to the table committed, which lists the stored
// sequence numbers of each producer (the spool of one proxy). On Postgres it locks
// each producer, so that two dashboards never merge the same ranges at once. It locks
// the producers in sorted order, so that the dashboards do not deadlock.
func (s *Store) commitRanges(ctx context.Context, tx *sql.Tx, committed map[string][]records.Range) error {
	for _, name := range slices.Sorted(maps.Keys(committed)) {
		producer := codec.CleanText(name)
		if s.db.Dialect == sqldb.Postgres {
			if _, err := tx.ExecContext(ctx, lockProducer, producer); err != nil {
				return fmt.Errorf("lock producer: %w", err)
			}
		}
		for _, r := range records.MergeRanges(committed[name]) {
			if err := mergeRange(ctx, tx, producer, r); err != nil {
				return fmt.Errorf("commit range: %w", err)
			}
		}
	}
	return nil
}

// mergeRange adds r to the stored ranges of a producer. It merges r with the
// ranges that overlap r or are adjacent to r.
func mergeRange(ctx context.Context, tx *sql.Tx, producer string, r records.Range) error {
	first, last := clampSeq(r.First), clampSeq(r.Last)
	end := max(last, last+1) // last+1 overflows for the highest number
	err := sqldb.EachRow(ctx, tx, deleteTouchingRanges, []any{producer, end, first - 1}, func(rows *sql.Rows) error {
		f, l := first, last
		err := rows.Scan(&f, &l)
		first, last = min(first, f), max(last, l)
		return err
	})
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, insertRange, producer, first, last)
	return err
}

// clampSeq fits a sequence number into a signed 64-bit column. A larger number comes
// from a damaged record. Such a number must not make ingest fail.
func clampSeq(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
