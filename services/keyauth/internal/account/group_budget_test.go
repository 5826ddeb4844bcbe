package account_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
	"github.com/signalbox/signalbox/services/keyauth/internal/spend"
)

func (w world) setBudget(t *testing.T, actor access.Actor, b setting.Budget) setting.Budget {
	t.Helper()
	b, err := w.SetBudget(t.Context(), actor, b)
	require.NoError(t, err)
	return b
}

func groupBudget(name, kind, value string, perDay int64) setting.Budget {
	return setting.Budget{Name: name, Kind: kind, Value: value, Amounts: spend.Budget{NanoUSDPerDay: perDay}}
}

func budgetNames(list []setting.Budget) (names []string) {
	for _, b := range list {
		names = append(names, b.Name)
	}
	return names
}

func TestBudgetsApplyToTheirKeys(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner, stranger := w.newOwner(t), w.newOwner(t)
		w.setBudget(t, stranger, groupBudget("strange", setting.KindUser, "*", 5))
		made, err := w.Keys.Create(t.Context(), owner, setting.Key{Name: "k", Tags: []string{"team"}})
		require.NoError(t, err)
		head, err := w.Keys.Head(t.Context())
		require.NoError(t, err)
		for _, b := range []setting.Budget{
			groupBudget("users", setting.KindUser, "*", 5), groupBudget("team", setting.KindTag, "team", 5),
			groupBudget("other team", setting.KindTag, "other", 5), groupBudget("keys", setting.KindKey, "*", 5),
		} {
			w.setBudget(t, owner, b)
		}
		changes, err := w.Keys.Changes(t.Context(), head)
		require.NoError(t, err)
		require.Len(t, changes, 4, "proxies verify all keys of the account again")
		require.Empty(t, changes[0].KeyID)
		p, err := w.Keys.Verify(t.Context(), apikey.DigestOf(made.Secret))
		require.NoError(t, err)
		require.Equal(t, []string{"keys", "team", "users"}, budgetNames(p.Budgets))

		_, err = w.Keys.Update(t.Context(), owner, made.Key.ID, setting.Key{Limits: budget, User: "ada", Agent: "ci-bot"}, []string{"limits", "user", "agent"})
		require.NoError(t, err)
		changes, err = w.Keys.Changes(t.Context(), head+4)
		require.NoError(t, err)
		require.Equal(t, []string{"team", "users"}, budgetNames(changes[0].Principal.Budgets), "a key with a budget of its own has no default budget")
		require.Equal(t, "ada", changes[0].Principal.Settings.User)
		require.Equal(t, "ci-bot", changes[0].Principal.Settings.Agent)
	})
}

func TestABudgetKeepsItsSpendWhileItsSelectorStays(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		first := w.setBudget(t, owner, groupBudget("users", setting.KindUser, "*", 5))
		report := spend.Report{AccountID: owner.AccountID, Budget: first.ID + "/ada", Day: today(), Hour: time.Now().UTC().Hour(), NanoUSD: 4}
		w.report(t, report)
		raised := w.setBudget(t, owner, groupBudget("users", setting.KindUser, "*", 50))
		require.Equal(t, first.ID, raised.ID)
		list, spent, err := w.GroupBudgets(t.Context(), owner)
		require.NoError(t, err)
		require.Equal(t, []setting.Budget{raised}, list)
		require.Len(t, spent, 4, "hour, day, week and month, but no total without an amount")
		for _, one := range spent {
			require.Equal(t, first.ID+"/ada", one.Budget)
			require.EqualValues(t, 4, one.NanoUSD)
		}

		changed := w.setBudget(t, owner, groupBudget("users", setting.KindAgent, "*", 50))
		require.NotEqual(t, first.ID, changed.ID)
		w.report(t, report)
		_, spent, err = w.GroupBudgets(t.Context(), owner)
		require.NoError(t, err)
		require.Empty(t, spent, "the ledger may still report the old budget")
		require.NoError(t, w.RemoveBudget(t.Context(), owner, "users"))
		requireCode(t, apperr.NotFound, w.RemoveBudget(t.Context(), owner, "users"))
		events, _, err := w.Audit(t.Context(), owner, audit.Filter{Action: "budget"}, 0, 0)
		require.NoError(t, err)
		var actions []string
		for _, e := range events {
			actions = append(actions, e.Action)
		}
		require.Equal(t, []string{"budget.remove", "budget.update", "budget.update", "budget.notice", "budget.create"}, actions)
	})
}

// The hours of a budget add up to its day, week, month and total. Watchers get each change once.
func TestSpendOfAGroupBudget(t *testing.T) {
	inTime(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		const most = setting.MaxBudget
		b := w.setBudget(t, owner, setting.Budget{Name: "team", Kind: setting.KindTag, Value: "team", Amounts: spend.Budget{
			NanoUSDPerHour: most, NanoUSDPerDay: most, NanoUSDPerWeek: most, NanoUSDPerMonth: most, NanoUSDTotal: most,
		}})
		var m spend.GroupCursor
		follow := func() map[string]int64 {
			all := map[string]int64{}
			for {
				list, next, err := w.GroupSpendSince(t.Context(), m)
				require.NoError(t, err)
				if m = next; len(list) == 0 {
					return all
				}
				for _, one := range list {
					require.Equal(t, b.ID, one.Budget)
					all[string(one.Period)] = one.NanoUSD
				}
			}
		}
		at := func(hour int, nano int64) spend.Report {
			return spend.Report{AccountID: owner.AccountID, Budget: b.ID, Day: "2000-01-01", Hour: hour, NanoUSD: nano}
		}
		w.report(t, at(0, 3), at(0, 5))
		want := map[string]int64{"2000-01-01T00": 5, "2000-01-01": 5, "1999-W52": 5, "2000-01": 5, "total": 5}
		require.Equal(t, want, follow())
		w.report(t, at(0, 4))
		require.Empty(t, follow(), "a late report changes nothing")
		<-time.After(time.Hour)
		w.report(t, at(1, 7))
		require.Equal(t, map[string]int64{"2000-01-01T01": 7, "2000-01-01": 12, "1999-W52": 12, "2000-01": 12, "total": 12}, follow())
		<-time.After(40 * 24 * time.Hour)
		require.Equal(t, map[string]int64{"total": 12}, follow(), "a new hour starts over")
		w.setBudget(t, owner, groupBudget("team", setting.KindTag, "team", most))
		<-time.After(time.Hour)
		require.Empty(t, follow(), "windows without an amount are not sent")
	})
}

func TestNoticesOfAGroupBudget(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		b := w.setBudget(t, owner, groupBudget("users", setting.KindUser, "*", 100))
		for _, nano := range []int64{79, 80, 80, 100} {
			w.report(t, spend.Report{AccountID: owner.AccountID, Budget: b.ID + "/ada", Day: today(), NanoUSD: nano})
		}
		events, _, err := w.Audit(t.Context(), owner, audit.Filter{Action: "budget.notice"}, 0, 0)
		require.NoError(t, err)
		require.Len(t, events, 2)
		require.Equal(t, b.ID, events[0].Subject)
		require.JSONEq(t, fmt.Sprintf(`{"scope":"budget","budget":"users","member":"ada","name":"nano_usd_per_day","percent":100,
			"limit":100,"spent":100,"period":%q}`, today()), events[0].After)
	})
}

func TestInvalidBudgets(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := w.newOwner(t)
	for param, list := range map[string][]setting.Budget{
		"name": {groupBudget("", setting.KindUser, "*", 1), groupBudget("a\nb", setting.KindUser, "*", 1)},
		"kind": {groupBudget("b", "session", "*", 1)},
		"value": {
			groupBudget("b", setting.KindKey, "prod", 1), groupBudget("b", setting.KindTag, "*", 1), groupBudget("b", setting.KindTag, "", 1),
			groupBudget("b", setting.KindUser, "", 1), groupBudget("b", setting.KindUser, "jürgen", 1), groupBudget("b", setting.KindAgent, "Codex", 1),
		},
		"amounts": {groupBudget("b", setting.KindUser, "*", 0), groupBudget("b", setting.KindUser, "*", -1), groupBudget("b", setting.KindUser, "*", setting.MaxBudget+1)},
	} {
		for _, b := range list {
			_, err := w.SetBudget(t.Context(), owner, b)
			requireParam(t, param, err)
		}
	}
	for param, k := range map[string]setting.Key{"user": {Name: "k", User: "a\tb"}, "agent": {Name: "k", Agent: "My Bot"}} {
		_, err := w.Keys.Create(t.Context(), owner, k)
		requireParam(t, param, err)
	}
	member := w.newActor(t, owner.AccountID, access.Member)
	_, err := w.SetBudget(t.Context(), member, groupBudget("b", setting.KindUser, "*", 1))
	requireCode(t, apperr.AuthForbidden, err)
	requireCode(t, apperr.AuthForbidden, w.RemoveBudget(t.Context(), member, "b"))
	for i := range 101 {
		_, err = w.SetBudget(t.Context(), owner, groupBudget(fmt.Sprint(i), setting.KindUser, "*", 1))
		require.Equal(t, i < 100, err == nil)
	}
	requireCode(t, apperr.InvalidRequest, err)
}
