package retention

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// ListContentAccounts lists the accounts that have content.
func (s *Days) ListContentAccounts(ctx context.Context) ([]string, error) {
	return s.listAccounts(ctx, "content")
}

func (s *Days) listAccounts(ctx context.Context, table string) ([]string, error) {
	var all []string
	for account := ""; ; {
		next, err := s.NextAccount(ctx, table, account)
		if err != nil || next == "" {
			return all, err
		}
		all, account = append(all, next), next
	}
}

// NextAccount returns the next account with rows in the table, in alphabetical order,
// or "" if there is none. It jumps along an index, which is fast even if there are
// many rows and few accounts.
func (s *Days) NextAccount(ctx context.Context, table, after string) (account string, err error) {
	err = s.db.Read().QueryRowContext(ctx, `SELECT account_id FROM `+table+` WHERE account_id > $1 ORDER BY account_id LIMIT 1`, after).Scan(&account)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("list accounts: %w", err)
	}
	return account, nil
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

// The rows of a day in a group table. The dimensions are named, because the primary key has them
// before the day.
const (
	groupHoursOfDay = `account_id = $1 AND dimension IN ('agent', 'session', 'tag', 'user') AND hour >= $2 AND hour < $3`
	groupsOfDay     = `account_id = $1 AND dimension IN ('agent', 'budget', 'tag', 'user') AND day = $2`
)

// A day has a row for every user, agent and tag of an account, and an hour also for every session,
// which can be many.
var (
	deleteGroupHoursChunk = fmt.Sprintf(`DELETE FROM group_hourly WHERE `+groupHoursOfDay+` AND (dimension, hour, value) IN (
	SELECT dimension, hour, value FROM group_hourly WHERE `+groupHoursOfDay+` ORDER BY dimension, hour, value LIMIT %d)`, deleteChunkRows)
	deleteGroupsChunk = fmt.Sprintf(`DELETE FROM group_daily WHERE `+groupsOfDay+` AND (dimension, value) IN (
	SELECT dimension, value FROM group_daily WHERE `+groupsOfDay+` ORDER BY dimension, value LIMIT %d)`, deleteChunkRows)
)

// deleteAggregates deletes the aggregates before a day, one day of one account after the other.
func (s *Days) deleteAggregates(ctx context.Context, before int64) error {
	all, err := s.listAccounts(ctx, "daily")
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

// deleteAccountDay deletes the aggregates of a day. It first deletes the groups in chunks, so that
// inserts do not wait long. The rest is one transaction, because totals from the hours and the day
// would differ meanwhile otherwise. It also deletes groups that were inserted after the chunks:
// without the row of the day, no later call would find them. It locks the tables in the same order
// as inserts do, which prevents deadlocks.
func (s *Days) deleteAccountDay(ctx context.Context, account string, day int64) error {
	if err := s.deleteInChunks(ctx, deleteGroupHoursChunk, account, day*24, (day+1)*24); err != nil {
		return err
	}
	if err := s.deleteInChunks(ctx, deleteGroupsChunk, account, day); err != nil {
		return err
	}
	return s.withRetentionLock(ctx, func(tx *sql.Tx) error {
		for _, one := range []struct {
			statement string
			args      []any
		}{
			{deleteHours, []any{account, day * 24, (day + 1) * 24}},
			{deleteDay, []any{account, day}},
			{`DELETE FROM group_hourly WHERE ` + groupHoursOfDay, []any{account, day * 24, (day + 1) * 24}},
			{`DELETE FROM group_daily WHERE ` + groupsOfDay, []any{account, day}},
		} {
			if _, err := tx.ExecContext(ctx, one.statement, one.args...); err != nil {
				return err
			}
		}
		return nil
	})
}

var deleteSessionsChunk = fmt.Sprintf(`DELETE FROM sessions WHERE account_id = $1 AND session IN (
	SELECT session FROM sessions WHERE account_id = $1 AND ended_us < $2 LIMIT %d)`, deleteChunkRows)

// deleteSessions deletes the sessions that ended before a day. A session that goes on keeps
// the sums of all its requests, also of those that are deleted.
func (s *Days) deleteSessions(ctx context.Context, before int64) error {
	all, err := s.listAccounts(ctx, "sessions")
	if err != nil {
		return err
	}
	for _, account := range all {
		if err := s.deleteInChunks(ctx, deleteSessionsChunk, account, before*daySeconds*1_000_000); err != nil {
			return err
		}
	}
	return nil
}

var deleteEvidenceChunk = fmt.Sprintf(`DELETE FROM evidence WHERE request_id IN (
	SELECT request_id FROM evidence WHERE request_id < $1 ORDER BY request_id LIMIT %d)`, deleteChunkRows)

var deleteComparisonsChunk = fmt.Sprintf(`DELETE FROM comparisons WHERE id IN (
	SELECT id FROM comparisons WHERE id < $1 ORDER BY id LIMIT %d)`, deleteChunkRows)

// deleteEvidence deletes the evidence about requests before a day, the comparisons of those
// days, and their counts.
func (s *Days) deleteEvidence(ctx context.Context, before int64) error {
	for _, chunk := range []string{deleteEvidenceChunk, deleteComparisonsChunk} {
		if err := s.deleteInChunks(ctx, chunk, firstIDOfDay(before)); err != nil {
			return err
		}
	}
	_, err := s.ExecLocked(ctx, `DELETE FROM quality_daily WHERE day < $1`, before)
	return err
}
