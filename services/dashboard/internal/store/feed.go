package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	feedKept = time.Hour
	// feedLeast is how many of the newest transactions stay however old, so
	// that a reader of a quiet ledger need not begin anew.
	feedLeast = 1000
)

var feedTable = table{name: "feed", key: "position, account_id", columns: []column{
	{"position", aCount}, {"account_id", aText}, {"at_us", aCount}, {"ids", aBlob},
}}

const tickFeed = `UPDATE feed_clock SET position = position + 1 RETURNING position`

// feed notes what the transaction stores, and must be the last that it does:
// the clock's row stays locked until it ends, so that positions become visible
// in their order.
func (s *Store) feed(ctx context.Context, tx *sql.Tx, stored []*record.Record, now time.Time) error {
	if len(stored) == 0 {
		return nil
	}
	ids := map[string][]byte{}
	for _, r := range stored {
		account := codec.Clean(r.AccountID)
		ids[account] = append(ids[account], r.ID[:]...)
	}
	var position int64
	if err := tx.QueryRowContext(ctx, tickFeed).Scan(&position); err != nil {
		return fmt.Errorf("tick the feed's clock: %w", err)
	}
	var rows [][]any
	for _, account := range slices.Sorted(maps.Keys(ids)) {
		rows = append(rows, []any{position, account, now.UnixMicro(), ids[account]})
	}
	_, err := s.insert(ctx, tx, feedTable, rows)
	return err
}

const (
	oldFeed = `SELECT COALESCE(MAX(f.position), 0) FROM feed f, feed_clock c
		WHERE f.at_us < $1 AND f.position <= c.position - $2`
	trimFeed = `DELETE FROM feed WHERE position <= $1`
	noteTrim = `UPDATE feed_clock SET trimmed = $1 WHERE trimmed < $1`
)

// TrimFeed forgets what is older than an hour, but for the newest.
func (s *Store) TrimFeed(ctx context.Context, now time.Time) error {
	var to int64
	err := s.db.Read().QueryRowContext(ctx, oldFeed, now.Add(-feedKept).UnixMicro(), feedLeast).Scan(&to)
	if err != nil || to == 0 {
		return err
	}
	return s.db.Write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, trimFeed, to); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, noteTrim, to)
		return err
	})
}
