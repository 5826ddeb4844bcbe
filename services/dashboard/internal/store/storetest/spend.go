package storetest

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// spent stores one record.
func spent(t *testing.T, s *store.Store, n int, account, key string, at time.Time, cost *int64) {
	t.Helper()
	r := Make(account, n)
	r.KeyID, r.Cost, r.Model = key, cost, model(n%3)
	At(r, at)
	insert(t, s, r)
}

// spends holds that what a budget is held against is the sum of the rows of its
// day or month and of no others.
func spends(t *testing.T, s *store.Store) {
	noon := Base()
	today, tomorrow := record.Today(noon)
	first, next := record.Month(noon)
	for n, one := range []struct {
		account, key string
		at           time.Time
		cost         *int64
	}{
		{"a", "k1", noon, Nano(1_500_000_000)}, {"a", "k1", today, Nano(7)}, {"a", "k1", tomorrow.Add(-time.Microsecond), Nano(1)},
		{"a", "k1", today.Add(-time.Microsecond), Nano(30)}, {"a", "k2", noon, Nano(400)}, {"a", "k2", noon, nil},
		{"a", "k1", first, Nano(5000)}, {"a", "k1", first.Add(-time.Microsecond), Nano(60_000)}, {"a", "k1", next, Nano(700_000)},
		{"a", "k3", first, Nano(8)}, {"b", "k1", noon, Nano(9_000_000)}, {"c", "k", noon, Nano(math.MaxInt64)}, {"c", "l", noon, Nano(math.MaxInt64)},
	} {
		spent(t, s, n, one.account, one.key, one.at, one.cost)
	}
	all, err := s.Spending(t.Context(), "a", noon)
	require.NoError(t, err)
	require.Equal(t, record.Spent{Day: 1_500_000_408, Month: 1_500_005_446}, all.Total)
	require.Equal(t, map[string]record.Spent{
		"k1": {Day: 1_500_000_008, Month: 1_500_005_038}, "k2": {Day: 400, Month: 400}, "k3": {Month: 8},
	}, all.Keys)
	all, err = s.Spending(t.Context(), "c", noon)
	require.NoError(t, err)
	require.Equal(t, record.Spent{Day: math.MaxInt64, Month: math.MaxInt64}, all.Total)
	all, err = s.Spending(t.Context(), "nobody", noon)
	require.NoError(t, err)
	require.Empty(t, all.Keys)

	day := record.DayOf(noon)
	by := func(account, key string, day int64) record.Spender {
		return record.Spender{Account: account, Key: key, Day: day}
	}
	found, err := s.SpendOf(t.Context(), []record.Spender{
		by("a", "k1", day), by("a", "k2", day), by("a", "k1", day-1), by("b", "k1", day), by("b", "k2", day),
	})
	require.NoError(t, err)
	require.ElementsMatch(t, []record.Spend{
		{Spender: by("a", "k1", day), NanoUSD: 1_500_000_008}, {Spender: by("a", "k2", day), NanoUSD: 400},
		{Spender: by("a", "k1", day-1), NanoUSD: 30}, {Spender: by("b", "k1", day), NanoUSD: 9_000_000},
	}, found)
	found, err = s.SpendOf(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, found)
}

// spendPages holds that a walk meets every key and day once, whatever the size
// of its pages.
func spendPages(t *testing.T, s *store.Store) {
	first, _ := record.Month(Base())
	since := record.DayOf(first)
	want := map[record.Spender]int64{}
	for n := range 40 {
		account, key, days := fmt.Sprintf("acc%d", n%4), fmt.Sprintf("key%d", n%3), n%5-1
		cost := int64(n) + 1
		spent(t, s, n, account, key, Base().AddDate(0, 0, days), &cost)
		want[record.Spender{Account: account, Key: key, Day: record.DayOf(Base()) + int64(days)}] += cost
	}
	spent(t, s, 50, "acc1", "key1", first.Add(-time.Hour), Nano(1))
	spent(t, s, 51, "quiet", "key1", first.Add(-time.Hour), Nano(1))
	for _, limit := range []int{1, 7, 1000} {
		got := map[record.Spender]int64{}
		for after := (record.Spender{}); ; {
			page, err := s.SpendAfter(t.Context(), after, since, limit)
			require.NoError(t, err)
			require.LessOrEqual(t, len(page), limit)
			if len(page) == 0 {
				break
			}
			for _, one := range page {
				require.NotContains(t, got, one.Spender)
				got[one.Spender] = one.NanoUSD
			}
			after = page[len(page)-1].Spender
		}
		require.Equal(t, want, got)
	}
}
