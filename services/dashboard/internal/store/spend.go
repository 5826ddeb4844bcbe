package store

import (
	"context"
	"database/sql"
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
	spendByDay = `SELECT account_id, key_id, day, ` + sumRouted + ` FROM daily
		WHERE account_id = $1 AND day >= $2 AND day < $3 GROUP BY account_id, key_id, day`
	// spendOfDays reads many keys and days in one statement. It works only on Postgres.
	spendOfDays = `SELECT account_id, key_id, day, ` + sumRouted + `
		FROM unnest($1::text[], $2::text[], $3::bigint[]) AS asked (of_account, of_key, of_day)
		JOIN daily ON account_id = of_account AND key_id = of_key AND day = of_day GROUP BY account_id, key_id, day`
	spendAfter = `SELECT account_id, key_id, day, ` + sumRouted + ` FROM daily
		WHERE account_id = $1 AND (day, key_id) > ($2, $3) GROUP BY account_id, key_id, day
		ORDER BY day, key_id LIMIT $4`

	budgetSpendOfHour = `SELECT account_id, value, day, routed_usd, routed_nano FROM group_daily
		WHERE account_id = $1 AND dimension = 'budget' AND day = $2 AND value = $3`
	budgetSpendAfter = `SELECT account_id, value, day, routed_usd, routed_nano FROM group_daily
		WHERE account_id = $1 AND dimension = 'budget' AND (day, value) > ($2, $3) ORDER BY day, value LIMIT $4`
)

// AccountSpend returns the spend of an account on the UTC day of a time, and in
// the month of that day. The result has the total and the spend of each key with
// requests in that month. It includes every stored record.
func (s *Store) AccountSpend(ctx context.Context, account string, at time.Time) (record.AccountSpend, error) {
	first, next := record.MonthBounds(at)
	var all record.AccountSpend
	args := []any{account, record.DayOfTime(at), record.DayOfTime(first), record.DayOfTime(next)}
	err := s.readRows(ctx, spendOfMonth, args, func(rows *sql.Rows) error {
		var key string
		var day, month record.Amount
		err := rows.Scan(&key, &day.Dollars, &day.Nano, &month.Dollars, &month.Nano)
		all.AddKey(key, day, month)
		return err
	})
	return all, err
}

// DailySpend returns the spend of each key of an account on each UTC day from first up to
// last, both included. It omits days without records.
func (s *Store) DailySpend(ctx context.Context, account string, first, last int64) (all []record.Spend, err error) {
	err = s.readRows(ctx, spendByDay, []any{account, first, last + 1}, appendSpend(&all))
	return all, err
}

// SpendOf returns the stored spend of the given keys and days, and of group budgets and hours.
// It omits those without records. The result includes all records stored before the call.
func (s *Store) SpendOf(ctx context.Context, of []record.KeyDay) ([]record.Spend, error) {
	var found []record.Spend
	var keysOnly []record.KeyDay
	for _, one := range of {
		if one.Budget == "" {
			keysOnly = append(keysOnly, one)
			continue
		}
		if err := s.readRows(ctx, budgetSpendOfHour, []any{one.Account, one.Day, one.Budget}, appendBudgetSpend(&found)); err != nil {
			return nil, err
		}
	}
	if of = keysOnly; len(of) == 0 {
		return found, nil
	}
	if s.db.Dialect == sqldb.SQLite {
		for _, one := range of {
			if err := s.readRows(ctx, spendOfDay, []any{one.Account, one.Key, one.Day}, appendSpend(&found)); err != nil {
				return nil, err
			}
		}
		return found, nil
	}
	accounts, keys, days := make([]string, len(of)), make([]string, len(of)), make([]int64, len(of))
	for i, one := range of {
		accounts[i], keys[i], days[i] = one.Account, one.Key, one.Day
	}
	err := s.readRows(ctx, spendOfDays, []any{accounts, keys, days}, appendSpend(&found))
	return found, err
}

// SpendAfter returns the next page of the spend of all keys since a day, ordered
// by account, day and key. after is the last item of the previous page. The zero
// value of after returns the first page. An empty page means that there are no
// more.
func (s *Store) SpendAfter(ctx context.Context, after record.KeyDay, since int64, limit int) (page []record.Spend, err error) {
	for {
		if after.Account != "" {
			args := []any{after.Account, after.Day, after.Key, limit - len(page)}
			if err := s.readRows(ctx, spendAfter, args, appendSpend(&page)); err != nil || len(page) == limit {
				return page, err
			}
		}
		next, err := s.NextAccount(ctx, "daily", after.Account)
		if err != nil || next == "" {
			return page, err
		}
		after = record.KeyDay{Account: next, Day: since}
	}
}

// BudgetSpendAfter returns the next page of the spend of all group budgets since a day, by the
// hour. It pages as SpendAfter does.
func (s *Store) BudgetSpendAfter(ctx context.Context, after record.KeyDay, since int64, limit int) (page []record.Spend, err error) {
	for {
		if after.Account != "" {
			args := []any{after.Account, after.Day, after.Budget, limit - len(page)}
			if err := s.readRows(ctx, budgetSpendAfter, args, appendBudgetSpend(&page)); err != nil || len(page) == limit {
				return page, err
			}
		}
		next, err := s.NextAccount(ctx, "group_daily", after.Account)
		if err != nil || next == "" {
			return page, err
		}
		after = record.KeyDay{Account: next, Day: since}
	}
}

func appendBudgetSpend(all *[]record.Spend) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		var one record.Spend
		var sum record.Amount
		err := rows.Scan(&one.Account, &one.Budget, &one.Day, &sum.Dollars, &sum.Nano)
		one.NanoUSD = record.ToNanoUSD(sum.Dollars, sum.Nano)
		*all = append(*all, one)
		return err
	}
}

func appendSpend(all *[]record.Spend) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		var one record.Spend
		var sum record.Amount
		err := rows.Scan(&one.Account, &one.Key, &one.Day, &sum.Dollars, &sum.Nano)
		one.NanoUSD = record.ToNanoUSD(sum.Dollars, sum.Nano)
		*all = append(*all, one)
		return err
	}
}
