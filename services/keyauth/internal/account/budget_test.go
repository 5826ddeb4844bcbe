package account_test

import (
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
	"github.com/signalbox/signalbox/services/keyauth/internal/spend"
	"github.com/signalbox/signalbox/services/keyauth/internal/store/storetest"
)

// budgetNotice is the content of a notice.
type budgetNotice struct {
	Scope, Name, Period   string
	Percent, Limit, Spent int64
	subject               string
}

// notices returns the budget notices in the audit log of an account, oldest first.
func (w world) notices(t *testing.T, accountID string) []budgetNotice {
	t.Helper()
	var all []budgetNotice
	for _, e := range slices.Backward(w.trail(t, accountID)) {
		if e.Action != "budget.notice" {
			continue
		}
		one := budgetNotice{subject: e.Subject}
		require.NoError(t, json.Unmarshal([]byte(e.After), &one))
		require.Equal(t, "{}", e.Before)
		require.Empty(t, e.UserID)
		all = append(all, one)
	}
	return all
}

func (w world) percents(t *testing.T, accountID string) []int64 {
	t.Helper()
	var all []int64
	for _, n := range w.notices(t, accountID) {
		all = append(all, n.Percent)
	}
	return all
}

func TestBudgetNoticesAt80And100Percent(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		k := w.newKey(t, owner, setting.Limits{NanoUSDPerDay: 100})
		day := func(percent, spent int64) budgetNotice {
			return budgetNotice{Scope: "key", Name: "nano_usd_per_day", Period: today(), Percent: percent, Limit: 100, Spent: spent, subject: k.ID}
		}
		w.report(t, spendOf(k, today(), 79))
		require.Empty(t, w.notices(t, owner.AccountID))
		w.report(t, spendOf(k, today(), 80))
		want := []budgetNotice{day(80, 80)}
		require.Equal(t, want, w.notices(t, owner.AccountID))
		w.report(t, spendOf(k, today(), 99))
		require.Equal(t, want, w.notices(t, owner.AccountID), "once")
		w.report(t, spendOf(k, today(), 100))
		want = append(want, day(100, 100))
		require.Equal(t, want, w.notices(t, owner.AccountID))
		w.report(t, spendOf(k, today(), 101))
		w.with(t, nil).report(t, spendOf(k, today(), 102))
		require.Equal(t, want, w.notices(t, owner.AccountID), "also after a restart")
	})
}

func TestEveryReachedBudgetIsNotified(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		w.limitAccount(t, owner, setting.Limits{NanoUSDPerDay: 12, NanoUSDPerMonth: 10})
		k, other := w.newKey(t, owner, setting.Limits{NanoUSDPerMonth: 5}), w.newKey(t, owner, setting.Limits{})
		w.report(t, spendOf(k, today(), 5), spendOf(other, today(), 5))
		month := today()[:7]
		require.Equal(t, []budgetNotice{
			{"account", "nano_usd_per_month", month, 80, 10, 10, owner.AccountID},
			{"account", "nano_usd_per_month", month, 100, 10, 10, owner.AccountID},
			{"account", "nano_usd_per_day", today(), 80, 12, 10, owner.AccountID},
			{"key", "nano_usd_per_month", month, 80, 5, 5, k.ID},
			{"key", "nano_usd_per_month", month, 100, 5, 5, k.ID},
		}, w.notices(t, owner.AccountID))
	})
}

func TestChangedBudgetIsNotifiedAgain(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		k := w.newKey(t, owner, setting.Limits{})
		limit := func(budget int64) {
			_, err := w.Keys.Update(t.Context(), owner, k.ID, setting.Key{Limits: setting.Limits{NanoUSDPerMonth: budget}}, []string{"limits"})
			require.NoError(t, err)
		}
		w.report(t, spendOf(k, today(), 90))
		require.Empty(t, w.notices(t, owner.AccountID))
		limit(100)
		require.Equal(t, []int64{80}, w.percents(t, owner.AccountID), "it is reached as it is set")
		limit(90)
		require.Equal(t, []int64{80, 100}, w.percents(t, owner.AccountID), "lowered below what was spent")
		limit(80)
		require.Equal(t, []int64{80, 100}, w.percents(t, owner.AccountID), "already notified")
		limit(1000)
		require.Equal(t, []int64{80, 100}, w.percents(t, owner.AccountID))
		w.report(t, spendOf(k, today(), 800))
		require.Equal(t, []int64{80, 100, 80}, w.percents(t, owner.AccountID), "raised and reached again")
		limit(setting.MaxBudget)
		w.report(t, spendOf(k, today(), setting.MaxBudget/5*4-1))
		require.Len(t, w.percents(t, owner.AccountID), 3)
		w.report(t, spendOf(k, today(), setting.MaxBudget/5*4))
		require.Len(t, w.percents(t, owner.AccountID), 4)
	})
}

// Two instances report the same spend concurrently.
func TestInstancesNotifyOnce(t *testing.T) {
	at := storetest.LoginURL(t)
	here, there := worldAt(t, at, account.RegistrationOpen), worldAt(t, at, account.RegistrationOpen)
	owner := here.newOwner(t)
	k := here.newKey(t, owner, setting.Limits{NanoUSDPerDay: 100})
	var wg sync.WaitGroup
	for _, w := range []world{here, there, here, there} {
		wg.Go(func() {
			for spent := int64(70); spent <= 110; spent += 10 {
				w.report(t, spendOf(k, today(), spent))
			}
		})
	}
	wg.Wait()
	require.Equal(t, []int64{80, 100}, here.percents(t, owner.AccountID))
	var m spend.Cursor
	require.Equal(t, map[string][2]int64{k.ID: {110, 110}}, there.follow(t, &m))
}

func TestDayIsNotifiedShortlyAfterItsEnd(t *testing.T) {
	inTime(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		k := w.newKey(t, owner, setting.Limits{NanoUSDPerDay: 100})
		first := today()
		after(24*time.Hour + time.Minute)
		w.report(t, spendOf(k, first, 80))
		require.Equal(t, []int64{80}, w.percents(t, owner.AccountID))
		after(time.Hour)
		w.report(t, spendOf(k, first, 100))
		require.Equal(t, []int64{80}, w.percents(t, owner.AccountID), "yesterday's budget needs no notice")
		w.report(t, spendOf(k, today(), 100))
		require.Equal(t, []int64{80, 80, 100}, w.percents(t, owner.AccountID), "each day anew")
	})
}
