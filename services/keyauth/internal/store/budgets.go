package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
	"github.com/signalbox/signalbox/services/keyauth/internal/spend"
)

const (
	selectBudgets = `SELECT id, name, kind, value, nano_usd_per_hour, nano_usd_per_day, nano_usd_per_week, nano_usd_per_month, nano_usd_total
FROM budgets WHERE account_id = $1 ORDER BY name`
	upsertBudget = `
INSERT INTO budgets (id, account_id, name, kind, value, nano_usd_per_hour, nano_usd_per_day, nano_usd_per_week, nano_usd_per_month, nano_usd_total)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, nano_usd_per_hour = excluded.nano_usd_per_hour,
    nano_usd_per_day = excluded.nano_usd_per_day, nano_usd_per_week = excluded.nano_usd_per_week,
    nano_usd_per_month = excluded.nano_usd_per_month, nano_usd_total = excluded.nano_usd_total`
	deleteBudget      = `DELETE FROM budgets WHERE account_id = $1 AND id = $2`
	deleteBudgetSpend = `DELETE FROM spend WHERE account_id = $1 AND (key_id = $2 OR substr(key_id, 1, $3) = $4)`

	// The sums of a group budget have a key_id that begins with budget/, as spend.GroupOwner
	// returns it.
	isGroupSum       = `substr(key_id, 1, 7) = 'budget/'`
	groupSpendFields = `SELECT account_id, substr(key_id, 8), period, nano_usd, version FROM spend WHERE ` + isGroupSum
)

func budgetFields(b *setting.Budget) []any {
	a := &b.Amounts
	return []any{
		&b.ID, &b.Name, &b.Kind, &b.Value, &a.NanoUSDPerHour, &a.NanoUSDPerDay, &a.NanoUSDPerWeek, &a.NanoUSDPerMonth, &a.NanoUSDTotal,
	}
}

func (r rows) Budgets(ctx context.Context, accountID string) ([]setting.Budget, error) {
	return queryAll(ctx, r.q, inAccount(accountID), selectBudgets, []any{accountID}, budgetFields)
}

func (t *tx) SaveBudget(ctx context.Context, accountID string, b setting.Budget) error {
	a := b.Amounts
	err := t.execute(ctx, inAccount(accountID), "save budget", upsertBudget, b.ID, accountID, b.Name, b.Kind, b.Value,
		a.NanoUSDPerHour, a.NanoUSDPerDay, a.NanoUSDPerWeek, a.NanoUSDPerMonth, a.NanoUSDTotal)
	if err != nil {
		return err
	}
	return t.appendChange(ctx, accountID, "")
}

func (t *tx) RemoveBudget(ctx context.Context, accountID, id string) error {
	if err := t.execute(ctx, inAccount(accountID), "remove budget", deleteBudget, accountID, id); err != nil {
		return err
	}
	whole := spend.GroupOwner(accountID, id).KeyID
	err := t.execute(ctx, inAccount(accountID), "remove spend of budget", deleteBudgetSpend, accountID, whole, len(whole)+1, whole+"/")
	if err != nil {
		return err
	}
	return t.appendChange(ctx, accountID, "")
}

func groupSpendColumns(s *spend.GroupSpend) []any {
	return []any{&s.AccountID, &s.Budget, &s.Period, &s.NanoUSD, &s.Version}
}

func (r rows) GroupSpend(ctx context.Context, after int64, periods []spend.Period, limit int) ([]spend.GroupSpend, error) {
	in, args := listPeriods(periods, after, limit)
	return queryAll(ctx, r.q, acrossSpend, groupSpendFields+` AND version > $1 AND period IN (`+in+`) ORDER BY version LIMIT $2`, args, groupSpendColumns)
}

func (r rows) AccountGroupSpend(ctx context.Context, accountID string, periods []spend.Period, limit int) ([]spend.GroupSpend, error) {
	in, args := listPeriods(periods, accountID, limit)
	return queryAll(ctx, r.q, inAccount(accountID), groupSpendFields+` AND account_id = $1 AND period IN (`+in+`) ORDER BY nano_usd DESC, key_id, period LIMIT $2`, args, groupSpendColumns)
}

// listPeriods returns the placeholders of periods, which follow the given arguments, and all
// arguments.
func listPeriods(periods []spend.Period, args ...any) (string, []any) {
	var in []string
	for _, p := range periods {
		args = append(args, string(p))
		in = append(in, fmt.Sprintf("$%d", len(args)))
	}
	return strings.Join(in, ", "), args
}
