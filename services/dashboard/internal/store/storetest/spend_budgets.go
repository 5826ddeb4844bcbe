package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// budgetSpends checks that the spend of a group budget is the sum of exactly its rows, by the
// hour, and that it comes back in pages and ends with its day.
func budgetSpends(t *testing.T, s *store.Store) {
	hour := Base().Truncate(time.Hour)
	day := record.DayOfTime(hour)
	want := map[record.KeyDay]int64{}
	for n, one := range []struct {
		account string
		at      time.Time
		cost    int64
		budgets []string
	}{
		{"a", hour, 5, []string{"b1", "b2/ada"}}, {"a", hour.Add(time.Hour - time.Microsecond), 70, []string{"b1"}},
		{"a", hour.Add(time.Hour), 900, []string{"b1"}}, {"a", hour.AddDate(0, 0, 1), 1000, []string{"b1"}},
		{"a", hour, 1, nil}, {"b", hour, 6, []string{"b1"}},
	} {
		r := Make(one.account, n)
		r.Cost, r.Budgets = Nano(one.cost), one.budgets
		At(r, one.at)
		insert(t, s, r)
		insert(t, s, r) // a record that is delivered again counts once
		for _, b := range one.budgets {
			want[record.KeyDay{Account: one.account, Budget: record.BudgetHour(one.at, b), Day: record.DayOfTime(one.at)}] += one.cost
		}
	}
	require.Len(t, want, 5)
	var of []record.KeyDay
	for name := range want {
		of = append(of, name)
	}
	found, err := s.SpendOf(t.Context(), append(of, record.KeyDay{Account: "b", Budget: record.BudgetHour(hour, "b2/ada"), Day: day}))
	require.NoError(t, err)
	require.Equal(t, want, spendByName(found))
	for _, limit := range []int{1, 2, 1000} {
		var all []record.Spend
		for after := (record.KeyDay{}); ; {
			page, err := s.BudgetSpendAfter(t.Context(), after, day, limit)
			require.NoError(t, err)
			require.LessOrEqual(t, len(page), limit)
			if len(page) == 0 {
				break
			}
			all, after = append(all, page...), page[len(page)-1].KeyDay
		}
		require.Len(t, all, len(want))
		require.Equal(t, want, spendByName(all))
	}
}

func spendByName(all []record.Spend) map[record.KeyDay]int64 {
	found := map[record.KeyDay]int64{}
	for _, one := range all {
		found[one.KeyDay] = one.NanoUSD
	}
	return found
}
