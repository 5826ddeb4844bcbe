package retention

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// These statements find the next account along an index. They are fast even if
// there are many rows and few accounts.
const (
	nextContentAccount = `SELECT account_id FROM content WHERE account_id > $1 ORDER BY account_id LIMIT 1`
	nextDailyAccount   = `SELECT account_id FROM daily WHERE account_id > $1 ORDER BY account_id LIMIT 1`
)

// ListContentAccounts lists the accounts that have content.
func (s *Days) ListContentAccounts(ctx context.Context) ([]string, error) {
	return s.listAccounts(ctx, nextContentAccount)
}

func (s *Days) listAccounts(ctx context.Context, next string) ([]string, error) {
	var all []string
	for account := ""; ; {
		err := s.db.Read().QueryRowContext(ctx, next, account).Scan(&account)
		if errors.Is(err, sql.ErrNoRows) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("list accounts: %w", err)
		}
		all = append(all, account)
	}
}

var deleteContentChunk = fmt.Sprintf(`DELETE FROM content WHERE (id, day) IN (
	SELECT id, day FROM content WHERE account_id = $1 AND day < $2 LIMIT %d)`, deleteChunkRows)

// DropAccountContent deletes the content of one account from all days before the
// day of `before`. It deletes in chunks, so that inserts do not wait long. It
// never deletes content of today.
func (s *Days) DropAccountContent(ctx context.Context, account string, before time.Time) error {
	err := s.deleteInChunks(ctx, deleteContentChunk, account, s.cutoffDay(before))
	if err != nil {
		return fmt.Errorf("drop content: %w", err)
	}
	return nil
}

const (
	oldestDailyRow = `SELECT COALESCE(MIN(day), $2) FROM daily WHERE account_id = $1 AND day < $2`
	deleteHours    = `DELETE FROM hourly WHERE account_id = $1 AND hour >= $2 AND hour < $3`
	deleteDay      = `DELETE FROM daily WHERE account_id = $1 AND day = $2`
)

// deleteAggregates deletes the aggregates before a day. Each transaction deletes
// one day of one account.
func (s *Days) deleteAggregates(ctx context.Context, before int64) error {
	all, err := s.listAccounts(ctx, nextDailyAccount)
	if err != nil {
		return err
	}
	for _, account := range all {
		for {
			var day int64
			if err := s.db.Read().QueryRowContext(ctx, oldestDailyRow, account, before).Scan(&day); err != nil {
				return err
			}
			if day >= before {
				break
			}
			if err := s.deleteAccountDay(ctx, account, day); err != nil {
				return err
			}
		}
	}
	return nil
}

// deleteAccountDay deletes the hourly and daily aggregates of a day in one
// transaction. Otherwise totals from the two tables would differ meanwhile. It
// locks the tables in the same order as inserts do, which prevents deadlocks.
func (s *Days) deleteAccountDay(ctx context.Context, account string, day int64) error {
	return s.withRetentionLock(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, deleteHours, account, day*24, (day+1)*24); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, deleteDay, account, day)
		return err
	})
}

func (s *Days) queryStrings(ctx context.Context, query string, args ...any) ([]string, error) {
	rows, err := s.db.Read().QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var all []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, rows.Err()
}
