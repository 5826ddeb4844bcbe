package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	sumRouted = `CAST(SUM(routed_usd) AS BIGINT), CAST(SUM(routed_nano) AS BIGINT)`

	spendOfMonth = `SELECT key_id,
		CAST(SUM(CASE WHEN day = $2 THEN routed_usd ELSE 0 END) AS BIGINT),
		CAST(SUM(CASE WHEN day = $2 THEN routed_nano ELSE 0 END) AS BIGINT), ` + sumRouted + `
		FROM daily WHERE account_id = $1 AND day >= $3 AND day < $4 GROUP BY key_id`
	spendOfDay = `SELECT account_id, key_id, day, ` + sumRouted + ` FROM daily
		WHERE account_id = $1 AND key_id = $2 AND day = $3 GROUP BY account_id, key_id, day`
	// In Postgres, many at once.
	spendOfDays = `SELECT account_id, key_id, day, ` + sumRouted + `
		FROM unnest($1::text[], $2::text[], $3::bigint[]) AS asked (of_account, of_key, of_day)
		JOIN daily ON account_id = of_account AND key_id = of_key AND day = of_day GROUP BY account_id, key_id, day`
	spendAfter = `SELECT account_id, key_id, day, ` + sumRouted + ` FROM daily
		WHERE account_id = $1 AND (day, key_id) > ($2, $3) GROUP BY account_id, key_id, day
		ORDER BY day, key_id LIMIT $4`
)

// Spending is what the account has spent on the UTC day of a time and in its
// month, by the sums of what is stored: exact, and with every key that has
// spent.
func (s *Store) Spending(ctx context.Context, account string, at time.Time) (record.Spending, error) {
	first, next := record.Month(at)
	var all record.Spending
	args := []any{account, record.DayOf(at), record.DayOf(first), record.DayOf(next)}
	err := s.each(ctx, spendOfMonth, args, func(rows *sql.Rows) error {
		var key string
		var day, month record.Amount
		err := rows.Scan(&key, &day.Dollars, &day.Nano, &month.Dollars, &month.Nano)
		all.Add(key, day, month)
		return err
	})
	return all, err
}

// SpendOf is what keys have spent on days, as far as anything is stored of them:
// at least all that was before the call.
func (s *Store) SpendOf(ctx context.Context, of []record.Spender) ([]record.Spend, error) {
	var found []record.Spend
	if s.db.Dialect == sqldb.SQLite {
		for _, one := range of {
			if err := s.each(ctx, spendOfDay, []any{one.Account, one.Key, one.Day}, spendInto(&found)); err != nil {
				return nil, err
			}
		}
		return found, nil
	}
	accounts, keys, days := make([]string, len(of)), make([]string, len(of)), make([]int64, len(of))
	for i, one := range of {
		accounts[i], keys[i], days[i] = one.Account, one.Key, one.Day
	}
	err := s.each(ctx, spendOfDays, []any{accounts, keys, days}, spendInto(&found))
	return found, err
}

// SpendAfter is the next of what all keys have spent on all days from one on,
// at most so many, in the order of accounts. It goes on after the last of a page
// before; the zero value starts. None is the end.
func (s *Store) SpendAfter(ctx context.Context, after record.Spender, since int64, limit int) (page []record.Spend, err error) {
	for {
		if after.Account != "" {
			args := []any{after.Account, after.Day, after.Key, limit - len(page)}
			if err := s.each(ctx, spendAfter, args, spendInto(&page)); err != nil || len(page) == limit {
				return page, err
			}
		}
		err := s.db.Read().QueryRowContext(ctx, nextOfDaily, after.Account).Scan(&after.Account)
		if errors.Is(err, sql.ErrNoRows) {
			return page, nil
		}
		if err != nil {
			return nil, fmt.Errorf("list accounts: %w", err)
		}
		after.Day, after.Key = since, ""
	}
}

// spendInto adds each row to a list.
func spendInto(all *[]record.Spend) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		var one record.Spend
		var sum record.Amount
		err := rows.Scan(&one.Account, &one.Key, &one.Day, &sum.Dollars, &sum.Nano)
		one.NanoUSD = record.NanoUSD(sum.Dollars, sum.Nano)
		*all = append(*all, one)
		return err
	}
}
