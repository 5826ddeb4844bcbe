package measure

import (
	"context"
	"fmt"
	"time"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// measureBudgets compares the spend with the budgets of the account and of its active keys. It
// reads them as the user who saved the rule, because keyauth shows them to users only. If that
// user was removed, the value is unknown until another user saves the rule.
func (s *Source) measureBudgets(ctx context.Context, r alert.Rule, now time.Time) ([]alert.Reading, error) {
	actor := &keyauthv1.Actor{AccountId: r.AccountID, UserId: r.AuthorID}
	account, err := s.Accounts.GetAccount(ctx, &keyauthv1.GetAccountRequest{Actor: actor})
	if err != nil {
		return nil, fmt.Errorf("read the budget of the account: %w", err)
	}
	keys, err := s.Accounts.ListKeys(ctx, &keyauthv1.ListKeysRequest{Actor: actor})
	if err != nil {
		return nil, fmt.Errorf("read the budgets of the keys: %w", err)
	}
	spend, err := s.Ledger.AccountSpend(ctx, r.AccountID, now)
	if err != nil {
		return nil, err
	}
	all := budgetReadings("account", "the account", account.GetAccount().GetLimits(), spend.Total)
	for _, k := range keys.GetKeys() {
		if k.GetState() == keyauthv1.KeyState_KEY_STATE_ACTIVE {
			all = append(all, budgetReadings(k.GetId(), "key "+k.GetSettings().GetName(), k.GetSettings().GetLimits(), spend.Keys[k.GetId()])...)
		}
	}
	return all, nil
}

// budgetReadings returns a reading for the day and one for the month. A new day or month starts
// with an empty budget, which resolves the alert.
func budgetReadings(id, name string, limits *keyauthv1.Limits, spent record.PeriodSpend) (all []alert.Reading) {
	for _, p := range []struct {
		period       string
		limit, spent int64
	}{{"day", limits.GetNanoUsdPerDay(), spent.Day}, {"month", limits.GetNanoUsdPerMonth(), spent.Month}} {
		if p.limit <= 0 {
			continue
		}
		all = append(all, alert.Reading{
			Subject: id + "/" + p.period, Name: name + ", " + p.period, Value: 100 * float64(p.spent) / float64(p.limit),
			Detail: alert.NanoUSD.FormatValue(float64(p.spent)) + " of " + alert.NanoUSD.FormatValue(float64(p.limit)) + " is spent",
		})
	}
	return all
}
