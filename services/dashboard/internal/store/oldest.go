package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// What is kept by account is found by the account, one after the other, along
// an index: there may be many rows and few accounts.
const (
	nextOfContent = `SELECT account_id FROM content WHERE account_id > $1 ORDER BY account_id LIMIT 1`
	nextOfDaily   = `SELECT account_id FROM daily WHERE account_id > $1 ORDER BY account_id LIMIT 1`
)

// ContentAccounts lists the accounts of which there is content.
func (s *Store) ContentAccounts(ctx context.Context) ([]string, error) {
	return s.accounts(ctx, nextOfContent)
}

func (s *Store) accounts(ctx context.Context, next string) ([]string, error) {
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

var someContent = fmt.Sprintf(`DELETE FROM content WHERE (id, day) IN (
	SELECT id, day FROM content WHERE account_id = $1 AND day < $2 LIMIT %d)`, deleteAtOnce)

// DropContentOf removes the content of one account of all days before the one
// of before, a part at a time. Today stays in any case.
func (s *Store) DropContentOf(ctx context.Context, account string, before time.Time) error {
	err := s.removeAll(ctx, someContent, account, min(dayOf(before), dayOf(s.now())))
	if err != nil {
		return fmt.Errorf("drop content: %w", err)
	}
	return nil
}

const (
	oldestDay = `SELECT COALESCE(MIN(day), $2) FROM daily WHERE account_id = $1 AND day < $2`
	someHours = `DELETE FROM hourly WHERE account_id = $1 AND hour >= $2 AND hour < $3`
	someDays  = `DELETE FROM daily WHERE account_id = $1 AND day = $2`
)

// dropSums removes the sums before a day, a day of an account at a time.
func (s *Store) dropSums(ctx context.Context, before int64) error {
	all, err := s.accounts(ctx, nextOfDaily)
	if err != nil {
		return err
	}
	for _, account := range all {
		for {
			var day int64
			if err := s.db.Read().QueryRowContext(ctx, oldestDay, account, before).Scan(&day); err != nil {
				return err
			}
			if day >= before {
				break
			}
			if err := s.dropDay(ctx, account, day); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropDay removes both sums at once, in the order in which they are stored: a
// total is of the one or of the other.
func (s *Store) dropDay(ctx context.Context, account string, day int64) error {
	return s.removing(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, someHours, account, day*24, (day+1)*24); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, someDays, account, day)
		return err
	})
}

// texts answers a query of one column.
func (s *Store) texts(ctx context.Context, query string, args ...any) ([]string, error) {
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
