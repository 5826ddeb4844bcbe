package spend

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// memory stores sums in a map.
type memory map[SumKey]Sum

func (m memory) Sums(_ context.Context, keys []SumKey) (found []Sum, err error) {
	for _, k := range keys {
		if s, ok := m[k]; ok {
			found = append(found, s)
		}
	}
	return found, nil
}

func (m memory) SaveSums(_ context.Context, sums []Sum) error {
	for _, s := range sums {
		m[s.SumKey] = s
	}
	return nil
}

var (
	noon   = time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)
	key    = Owner{"acc", "key"}
	whole  = Owner{"acc", ""}
	dayOne = SumKey{"acc", "key", "2026-11-14"}
)

// report applies one report and returns the notices.
func (m memory) report(t *testing.T, nano int64, budgets map[Owner]Budget) (notices []string) {
	t.Helper()
	err := Apply(t.Context(), m, noon, map[SumKey]int64{dayOne: nano}, budgets, func(_ context.Context, c Crossing) error {
		notices = append(notices, fmt.Sprint(c.Sum.KeyID, " ", c.LimitName(), " ", c.Percent))
		return nil
	})
	require.NoError(t, err)
	return notices
}

func TestApplyRaisesAllFourSums(t *testing.T) {
	m := memory{}
	budgets := map[Owner]Budget{key: {}, whole: {}}
	require.Empty(t, m.report(t, 5, budgets))
	require.Empty(t, m.report(t, 3, budgets), "the highest value counts")
	for _, n := range []SumKey{dayOne, {"acc", "key", "2026-11"}, {"acc", "", "2026-11-14"}, {"acc", "", "2026-11"}} {
		require.EqualValues(t, 5, m[n].NanoUSD, n)
	}
	require.Len(t, m, 4)
}

func TestApplyIgnoresUnknownKeys(t *testing.T) {
	m := memory{}
	require.Empty(t, m.report(t, 5, map[Owner]Budget{{"other", "key"}: {NanoUSDPerDay: 1}}))
	require.Empty(t, m)
}

func TestThresholdsAreReportedOnce(t *testing.T) {
	m := memory{}
	budgets := map[Owner]Budget{key: {NanoUSDPerDay: 100}, whole: {NanoUSDPerMonth: 200}}
	require.Empty(t, m.report(t, 79, budgets))
	require.Equal(t, []string{"key nano_usd_per_day 80"}, m.report(t, 80, budgets))
	require.Empty(t, m.report(t, 80, budgets))
	require.Equal(t, []string{" nano_usd_per_month 80", "key nano_usd_per_day 100"}, m.report(t, 199, budgets))
	budgets[key] = Budget{NanoUSDPerDay: 210}
	require.Equal(t, []string{" nano_usd_per_month 100", "key nano_usd_per_day 80"}, m.report(t, 200, budgets), "a higher limit starts over")
}

func TestOnlyRecentDaysAreValid(t *testing.T) {
	valid := HighestValidAmounts([]Report{
		{AccountID: "acc", KeyID: "key", Day: "2026-11-14", NanoUSD: 7}, {AccountID: "acc", KeyID: "key", Day: "2026-11-14", NanoUSD: 9}, {AccountID: "acc", KeyID: "key", Day: "2026-11-15", NanoUSD: 1},
		{AccountID: "acc", KeyID: "key", Day: "2026-08-31", NanoUSD: 1}, {AccountID: "acc", KeyID: "key", Day: "no day", NanoUSD: 1}, {AccountID: "acc", KeyID: "key", Day: "2026-11-13", NanoUSD: 0},
	}, noon)
	require.Equal(t, map[SumKey]int64{dayOne: 9}, valid)
}
