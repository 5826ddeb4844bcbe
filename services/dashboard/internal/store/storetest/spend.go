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

// storeSpend stores one record with a cost.
func storeSpend(t *testing.T, s *store.Store, n int, account, key string, at time.Time, cost *int64) {
	t.Helper()
	r := Make(account, n)
	r.KeyID, r.Cost, r.Model = key, cost, model(n%3)
	At(r, at)
	insert(t, s, r)
}

// spends checks that the spend of a day or month is the sum of exactly its rows.
func spends(t *testing.T, s *store.Store) {
	noon := Base()
	today, tomorrow := record.DayBounds(noon)
	first, next := record.MonthBounds(noon)
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
		storeSpend(t, s, n, one.account, one.key, one.at, one.cost)
	}
	all, err := s.AccountSpend(t.Context(), "a", noon)
	require.NoError(t, err)
	require.Equal(t, record.PeriodSpend{Day: 1_500_000_408, Month: 1_500_005_446}, all.Total)
	require.Equal(t, map[string]record.PeriodSpend{
		"k1": {Day: 1_500_000_008, Month: 1_500_005_038}, "k2": {Day: 400, Month: 400}, "k3": {Month: 8},
	}, all.Keys)
	all, err = s.AccountSpend(t.Context(), "c", noon)
	require.NoError(t, err)
	require.Equal(t, record.PeriodSpend{Day: math.MaxInt64, Month: math.MaxInt64}, all.Total)
	all, err = s.AccountSpend(t.Context(), "nobody", noon)
	require.NoError(t, err)
	require.Empty(t, all.Keys)

	day := record.DayOfTime(noon)
	by := func(account, key string, day int64) record.KeyDay {
		return record.KeyDay{Account: account, Key: key, Day: day}
	}
	found, err := s.SpendOf(t.Context(), []record.KeyDay{
		by("a", "k1", day), by("a", "k2", day), by("a", "k1", day-1), by("b", "k1", day), by("b", "k2", day),
	})
	require.NoError(t, err)
	require.ElementsMatch(t, []record.Spend{
		{KeyDay: by("a", "k1", day), NanoUSD: 1_500_000_008}, {KeyDay: by("a", "k2", day), NanoUSD: 400},
		{KeyDay: by("a", "k1", day-1), NanoUSD: 30}, {KeyDay: by("b", "k1", day), NanoUSD: 9_000_000},
	}, found)
	found, err = s.SpendOf(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, found)
}

// spendPages checks that paging returns every key and day once, for any page size.
func spendPages(t *testing.T, s *store.Store) {
	first, _ := record.MonthBounds(Base())
	since := record.DayOfTime(first)
	want := map[record.KeyDay]int64{}
	for n := range 40 {
		account, key, days := fmt.Sprintf("acc%d", n%4), fmt.Sprintf("key%d", n%3), n%5-1
		cost := int64(n) + 1
		storeSpend(t, s, n, account, key, Base().AddDate(0, 0, days), &cost)
		want[record.KeyDay{Account: account, Key: key, Day: record.DayOfTime(Base()) + int64(days)}] += cost
	}
	storeSpend(t, s, 50, "acc1", "key1", first.Add(-time.Hour), Nano(1))
	storeSpend(t, s, 51, "quiet", "key1", first.Add(-time.Hour), Nano(1))
	for _, limit := range []int{1, 7, 1000} {
		got := map[record.KeyDay]int64{}
		for after := (record.KeyDay{}); ; {
			page, err := s.SpendAfter(t.Context(), after, since, limit)
			require.NoError(t, err)
			require.LessOrEqual(t, len(page), limit)
			if len(page) == 0 {
				break
			}
			for _, one := range page {
				require.NotContains(t, got, one.KeyDay)
				got[one.KeyDay] = one.NanoUSD
			}
			after = page[len(page)-1].KeyDay
		}
		require.Equal(t, want, got)
	}
}
