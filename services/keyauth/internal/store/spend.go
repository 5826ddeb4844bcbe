package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/spend"
)

// maxSumsPerStatement keeps a statement below the parameter limits of both databases.
const maxSumsPerStatement = 1000

const (
	selectSpendHead = `SELECT spend_version FROM installation`
	// selectBudgetSpend checks only the versions of months, because every change of a day also changes its month.
	selectBudgetSpend = `
SELECT m.account_id, m.key_id, COALESCE(d.nano_usd, 0), m.nano_usd, m.version
FROM spend m LEFT JOIN spend d ON d.account_id = m.account_id AND d.key_id = m.key_id AND d.period = $2
WHERE m.version > $1 AND m.period = $3 AND (
    m.key_id = '' AND EXISTS (SELECT 1 FROM accounts a
        WHERE a.id = m.account_id AND (a.nano_usd_per_day > 0 OR a.nano_usd_per_month > 0))
    OR m.key_id <> '' AND EXISTS (SELECT 1 FROM keys k
        WHERE k.id = m.key_id AND (k.nano_usd_per_day > 0 OR k.nano_usd_per_month > 0)))
ORDER BY m.version LIMIT $4`
)

func (r rows) SpendHead(ctx context.Context) (int64, error) {
	var version int64
	err := queryRow(ctx, r.q, scope{}, selectSpendHead, nil, &version)
	return version, err
}

func (r rows) BudgetSpend(ctx context.Context, after int64, day spend.Period, limit int) ([]spend.BudgetSpend, error) {
	args := []any{after, string(day), string(day.Month()), limit}
	return queryAll(ctx, r.q, acrossSpend, selectBudgetSpend, args, func(s *spend.BudgetSpend) []any {
		s.Day = day
		return []any{&s.AccountID, &s.KeyID, &s.DayNanoUSD, &s.MonthNanoUSD, &s.Version}
	})
}

const selectCredentials = credentialColumns + fromKeys + `WHERE k.id IN (%s)`

func (t *tx) Credentials(ctx context.Context, keyIDs []string) ([]keyring.Credential, error) {
	var all []keyring.Credential
	for some := range slices.Chunk(keyIDs, maxSumsPerStatement) {
		args := make([]any, len(some))
		for i, id := range some {
			args[i] = id
		}
		found, err := queryAll(ctx, t.q, acrossSpend, fmt.Sprintf(selectCredentials, placeholders(len(some), 1, "$%d")), args,
			func(c *keyring.Credential) []any {
				return append(append([]any{&c.Version}, accountFields(&c.Account)...), keyFields(&c.Key)...)
			})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

const selectSums = `SELECT account_id, key_id, period, nano_usd, notified_percent, notified_limit FROM spend
WHERE (account_id, key_id, period) IN (VALUES %s)`

func (t *tx) Sums(ctx context.Context, keys []spend.SumKey) ([]spend.Sum, error) {
	var all []spend.Sum
	for some := range slices.Chunk(keys, maxSumsPerStatement) {
		var args []any
		for _, n := range some {
			args = append(args, n.AccountID, n.KeyID, string(n.Period))
		}
		const row = "(CAST($%d AS TEXT), CAST($%d AS TEXT), CAST($%d AS TEXT))"
		found, err := queryAll(ctx, t.q, acrossSpend, fmt.Sprintf(selectSums, placeholders(len(some), 3, row)), args,
			func(s *spend.Sum) []any {
				return []any{&s.AccountID, &s.KeyID, &s.Period, &s.NanoUSD, &s.NotifiedPercent, &s.NotifiedLimit}
			})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

const (
	nextSpendVersions = `UPDATE installation SET spend_version = spend_version + $1 RETURNING spend_version`
	upsertSums        = `INSERT INTO spend (account_id, key_id, period, nano_usd, version, notified_percent, notified_limit) VALUES %s
ON CONFLICT (account_id, key_id, period) DO UPDATE SET nano_usd = excluded.nano_usd, version = excluded.version,
    notified_percent = excluded.notified_percent, notified_limit = excluded.notified_limit`
	pruneSums = `DELETE FROM spend WHERE period < $1`
)

func (t *tx) SaveSums(ctx context.Context, sums []spend.Sum) error {
	if len(sums) == 0 {
		return nil
	}
	var version int64
	if err := queryRow(ctx, t.q, acrossSpend, nextSpendVersions, []any{len(sums)}, &version); err != nil {
		return fmt.Errorf("get spend versions: %w", err)
	}
	version -= int64(len(sums))
	for some := range slices.Chunk(sums, maxSumsPerStatement) {
		var args []any
		for _, s := range some {
			version++
			args = append(args, s.AccountID, s.KeyID, string(s.Period), s.NanoUSD, version, s.NotifiedPercent, s.NotifiedLimit)
		}
		statement := fmt.Sprintf(upsertSums, placeholders(len(some), 7, "($%d, $%d, $%d, $%d, $%d, $%d, $%d)"))
		if err := t.execute(ctx, acrossSpend, "save spend", statement, args...); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) PruneSums(ctx context.Context, before spend.Period) error {
	return t.execute(ctx, acrossSpend, "prune spend", pruneSums, string(before))
}

// placeholders repeats row, a format string with `each` parameters. It numbers the parameters from 1.
func placeholders(rows, each int, row string) string {
	all := make([]string, rows)
	for i := range all {
		numbers := make([]any, each)
		for n := range numbers {
			numbers[n] = i*each + n + 1
		}
		all[i] = fmt.Sprintf(row, numbers...)
	}
	return strings.Join(all, ", ")
}
