package measure

import (
	"context"
	"fmt"
	"strings"
	"time"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// measureBudgets compares the spend with the budgets of the account, of its active keys and of groups. It
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
	groups, err := s.Accounts.ListBudgets(ctx, &keyauthv1.ListBudgetsRequest{Actor: actor})
	if err != nil {
		return nil, fmt.Errorf("read the group budgets: %w", err)
	}
	return append(all, groupReadings(groups)...), nil
}

// groupReadings returns a reading for each group budget and window: that of the member that has
// spent most.
func groupReadings(groups *keyauthv1.ListBudgetsResponse) (all []alert.Reading) {
	for _, b := range groups.GetBudgets() {
		a := b.GetAmounts()
		for _, w := range []struct {
			name   string
			period int // length
			limit  int64
		}{
			{"hour", len("2006-01-02T15"), a.GetNanoUsdPerHour()}, {"day", len("2006-01-02"), a.GetNanoUsdPerDay()}, {"week", len("2006-W01"), a.GetNanoUsdPerWeek()},
			{"month", len("2006-01"), a.GetNanoUsdPerMonth()}, {"total", len("total"), a.GetNanoUsdTotal()},
		} {
			if w.limit > 0 {
				member, spent := mostSpent(groups.GetSpent(), b.GetId(), w.period)
				all = append(all, budgetReading(b.GetId()+"/"+w.name, "budget "+b.GetName()+member+", "+w.name, w.limit, spent))
			}
		}
	}
	return all
}

// mostSpent returns the highest sum of a budget, with the name of its member after a colon. The
// sums come with the highest first.
func mostSpent(all []*keyauthv1.Spent, id string, period int) (member string, spent int64) {
	for _, s := range all {
		of, name, _ := strings.Cut(s.GetBudget(), "/")
		if of != id || len(s.GetPeriod()) != period {
			continue
		}
		if name != "" {
			name = ": " + name
		}
		return name, s.GetNanoUsd()
	}
	return "", 0
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
		all = append(all, budgetReading(id+"/"+p.period, name+", "+p.period, p.limit, p.spent))
	}
	return all
}

func budgetReading(subject, name string, limit, spent int64) alert.Reading {
	return alert.Reading{
		Subject: subject, Name: name, Value: 100 * float64(spent) / float64(limit),
		Detail: alert.NanoUSD.FormatValue(float64(spent)) + " of " + alert.NanoUSD.FormatValue(float64(limit)) + " is spent",
	}
}
