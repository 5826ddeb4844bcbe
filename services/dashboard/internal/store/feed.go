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
	"github.com/signalbox/signalbox/services/dashboard/internal/store/bulk"
)

const (
	feedRetention = time.Hour
	// feedMinCommits is the number of newest commits that are retained regardless of
	// age, so that a reader of a quiet ledger does not see a gap.
	feedMinCommits = 1000
)

var feedTable = bulk.Table{Name: "feed", Key: "position, account_id", Columns: []bulk.Column{
	bulk.Int("position"), bulk.Text("account_id"), bulk.Int("at_us"), bulk.Bytes("ids"),
}}

const advanceFeedClock = `UPDATE feed_clock SET position = position + 1 RETURNING position`

// appendFeed adds the ids of the stored records to the feed, the table of recent
// commits. It must be the last step of the transaction. It locks the row of the
// feed clock until the commit, so that positions become visible in order.
func (s *Store) appendFeed(ctx context.Context, tx *sql.Tx, stored []*record.Record, now time.Time) error {
	if len(stored) == 0 {
		return nil
	}
	ids := map[string][]byte{}
	for _, r := range stored {
		account := codec.CleanText(r.AccountID)
		ids[account] = append(ids[account], r.ID[:]...)
	}
	var position int64
	if err := tx.QueryRowContext(ctx, advanceFeedClock).Scan(&position); err != nil {
		return fmt.Errorf("advance feed clock: %w", err)
	}
	var rows [][]any
	for _, account := range slices.Sorted(maps.Keys(ids)) {
		rows = append(rows, []any{position, account, now.UnixMicro(), ids[account]})
	}
	_, err := feedTable.Insert(ctx, tx, s.db.Dialect, rows)
	return err
}

const (
	lastOldPosition = `SELECT COALESCE(MAX(f.position), 0) FROM feed f, feed_clock c
		WHERE f.at_us < $1 AND f.position <= c.position - $2`
	deleteFeed   = `DELETE FROM feed WHERE position <= $1`
	storeTrimmed = `UPDATE feed_clock SET trimmed = $1 WHERE trimmed < $1`
)

// TrimFeed deletes feed entries older than an hour, except those of the newest
// feedMinCommits commits.
func (s *Store) TrimFeed(ctx context.Context, now time.Time) error {
	var to int64
	err := s.db.Read().QueryRowContext(ctx, lastOldPosition, now.Add(-feedRetention).UnixMicro(), feedMinCommits).Scan(&to)
	if err != nil || to == 0 {
		return err
	}
	return s.db.Write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, deleteFeed, to); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, storeTrimmed, to)
		return err
	})
}
