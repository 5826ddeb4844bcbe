package account_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
	"github.com/signalbox/signalbox/services/keyauth/internal/spend"
)

// budget is the maximum, so that all spend is listed.
var budget = setting.Limits{NanoUSDPerDay: setting.MaxBudget, NanoUSDPerMonth: setting.MaxBudget}

func today() string { return time.Now().UTC().Format(time.DateOnly) }

func (w world) newKey(t *testing.T, actor access.Actor, limits setting.Limits) keyring.Key {
	t.Helper()
	made, err := w.Keys.Create(t.Context(), actor, setting.Key{Name: "k", Limits: limits})
	require.NoError(t, err)
	return made.Key
}

func (w world) limitAccount(t *testing.T, actor access.Actor, limits setting.Limits) {
	t.Helper()
	_, err := w.UpdateAccount(t.Context(), actor, access.Account{Limits: limits}, []string{"limits"})
	require.NoError(t, err)
}

func spendOf(k keyring.Key, day string, nano int64) spend.Report {
	return spend.Report{AccountID: k.AccountID, KeyID: k.ID, Day: day, NanoUSD: nano}
}

func (w world) report(t *testing.T, list ...spend.Report) {
	t.Helper()
	require.NoError(t, w.ReportSpend(t.Context(), list))
}

// follow reads what is new since a cursor, as nano-USD of the day and the month by
// key. The account has an empty key.
func (w world) follow(t *testing.T, m *spend.Cursor) map[string][2]int64 {
	t.Helper()
	all := map[string][2]int64{}
	for {
		list, next, err := w.BudgetSpendSince(t.Context(), *m)
		require.NoError(t, err)
		*m = next
		if len(list) == 0 {
			return all
		}
		for _, one := range list {
			require.EqualValues(t, today(), one.Day)
			all[one.KeyID] = [2]int64{one.DayNanoUSD, one.MonthNanoUSD}
		}
	}
}

func TestTheHighestSumCounts(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		w.limitAccount(t, owner, budget)
		k, other := w.newKey(t, owner, budget), w.newKey(t, owner, budget)
		var m spend.Cursor
		require.Empty(t, w.follow(t, &m))
		w.report(t)
		w.report(t, spendOf(k, today(), 3), spendOf(k, today(), 5), spendOf(k, today(), 4))
		require.Equal(t, map[string][2]int64{k.ID: {5, 5}, "": {5, 5}}, w.follow(t, &m))
		w.report(t, spendOf(k, today(), 5))
		w.report(t, spendOf(k, today(), 1))
		require.Empty(t, w.follow(t, &m), "a repeated and a late report change nothing")
		w.report(t, spendOf(k, today(), 7), spendOf(other, today(), 10))
		require.Equal(t, map[string][2]int64{k.ID: {7, 7}, other.ID: {10, 10}, "": {17, 17}}, w.follow(t, &m))
		m = spend.Cursor{}
		require.Equal(t, map[string][2]int64{k.ID: {7, 7}, other.ID: {10, 10}, "": {17, 17}}, w.follow(t, &m), "a new watcher gets everything")
		w.report(t, spendOf(k, today(), math.MaxInt64))
		require.Equal(t, map[string][2]int64{k.ID: {math.MaxInt64, math.MaxInt64}, "": {math.MaxInt64, math.MaxInt64}}, w.follow(t, &m))
	})
}

func TestInvalidSpendDoesNotBlockOthers(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner, stranger := w.newOwner(t), w.newOwner(t)
		w.limitAccount(t, stranger, budget)
		k := w.newKey(t, owner, budget)
		good := spendOf(k, today(), 5)
		all := []spend.Report{good}
		for _, spoil := range []func(s *spend.Report){
			func(s *spend.Report) { s.AccountID = "x\x00y" },
			func(s *spend.Report) { s.AccountID = stranger.AccountID },
			func(s *spend.Report) { s.KeyID = "" },
			func(s *spend.Report) { s.KeyID = w.newAccount(t).ID },
			func(s *spend.Report) { s.Day = "2026-02-30" },
			func(s *spend.Report) { s.Day = "" },
			func(s *spend.Report) { s.Day = time.Now().UTC().AddDate(0, 0, -100).Format(time.DateOnly) },
			func(s *spend.Report) { s.Day = time.Now().UTC().AddDate(0, 0, 2).Format(time.DateOnly) },
			func(s *spend.Report) { s.NanoUSD = -5 },
		} {
			bad := good
			bad.NanoUSD = 1000
			spoil(&bad)
			all = append(all, bad)
		}
		w.report(t, all...)
		var m spend.Cursor
		require.Equal(t, map[string][2]int64{k.ID: {5, 5}}, w.follow(t, &m))
		requireParam(t, "spend", w.ReportSpend(t.Context(), make([]spend.Report, 1001)))
	})
}

func TestOnlySpendWithABudgetIsListed(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		k := w.newKey(t, owner, setting.Limits{RequestsPerMinute: 5})
		w.report(t, spendOf(k, today(), 5))
		var m spend.Cursor
		require.Empty(t, w.follow(t, &m))
		_, err := w.Keys.Update(t.Context(), owner, k.ID, setting.Key{Limits: setting.Limits{NanoUSDPerMonth: 10}}, []string{"limits"})
		require.NoError(t, err)
		require.Equal(t, map[string][2]int64{k.ID: {5, 5}}, w.follow(t, &m), "a new budget includes earlier spend")
		w.limitAccount(t, owner, setting.Limits{NanoUSDPerDay: 10})
		require.Equal(t, map[string][2]int64{"": {5, 5}}, w.follow(t, &m))
		w.limitAccount(t, owner, setting.Limits{NanoUSDPerDay: 10, TokensPerMinute: 1})
		require.Empty(t, w.follow(t, &m))
	})
}

// The fake clock of these tests starts at midnight on 2000-01-01.

func TestDaysAddUpToMonths(t *testing.T) {
	inTime(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		w.limitAccount(t, owner, budget)
		k := w.newKey(t, owner, budget)
		day := 24 * time.Hour
		var m spend.Cursor
		w.report(t, spendOf(k, today(), 1))
		first := today()
		after(day)
		w.report(t, spendOf(k, today(), 10))
		require.Equal(t, map[string][2]int64{k.ID: {10, 11}, "": {10, 11}}, w.follow(t, &m))
		w.report(t, spendOf(k, first, 100))
		require.Equal(t, map[string][2]int64{k.ID: {10, 110}, "": {10, 110}}, w.follow(t, &m), "a late record of another day")
		after(day)
		require.Equal(t, map[string][2]int64{k.ID: {0, 110}, "": {0, 110}}, w.follow(t, &m))
		after(29 * day)
		require.Empty(t, w.follow(t, &m), "a new month")
		w.report(t, spendOf(k, today(), 2), spendOf(k, first, 1000))
		require.Equal(t, map[string][2]int64{k.ID: {2, 2}, "": {2, 2}}, w.follow(t, &m))
	})
}

func TestOldSumsArePruned(t *testing.T) {
	inTime(t, func(t *testing.T, w world) {
		k := w.newKey(t, w.newOwner(t), budget)
		w.report(t, spendOf(k, today(), 1))
		stored := func(of spend.Period) (n int) {
			require.NoError(t, w.store.Write(t.Context(), func(tx account.Tx) error {
				sums, err := tx.Sums(t.Context(), []spend.SumKey{{AccountID: k.AccountID, KeyID: k.ID, Period: of}})
				n = len(sums)
				return err
			}))
			return n
		}
		after(62 * 24 * time.Hour)
		w.with(t, nil).report(t, spendOf(k, today(), 1)) // the first report of a process prunes
		require.Equal(t, 1, stored("2000-01"))
		after(40 * 24 * time.Hour)
		w.with(t, nil).report(t, spendOf(k, today(), 1))
		require.Zero(t, stored("2000-01")+stored("2000-01-01"))
		require.Equal(t, 1, stored("2000-03"))
	})
}
