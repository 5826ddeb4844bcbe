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
	nextOfHourly  = `SELECT account_id FROM hourly WHERE account_id > $1 ORDER BY account_id LIMIT 1`
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
	oldestHour = `SELECT COALESCE(MIN(hour), $2) FROM hourly WHERE account_id = $1 AND hour < $2`
	someHours  = `DELETE FROM hourly WHERE account_id = $1 AND hour >= $2 AND hour < $3`
)

// dropHours removes the sums before an hour, a day of an account at a time.
func (s *Store) dropHours(ctx context.Context, before int64) error {
	all, err := s.accounts(ctx, nextOfHourly)
	if err != nil {
		return err
	}
	for _, account := range all {
		for {
			var hour int64
			if err := s.db.Read().QueryRowContext(ctx, oldestHour, account, before).Scan(&hour); err != nil {
				return err
			}
			if hour >= before {
				break
			}
			if _, err := s.remove(ctx, someHours, account, hour, min(hour+24, before)); err != nil {
				return err
			}
		}
	}
	return nil
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
