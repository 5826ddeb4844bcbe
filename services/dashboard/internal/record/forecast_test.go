package record

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// noon is the middle of 15 November: 15.5 days of the month are left.
var noon = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

func daysAgo(n int64) int64 { return DayOfTime(noon) - n }

func TestForecastAddsTheAverageOfTheLastDays(t *testing.T) {
	spend := map[int64]int64{daysAgo(0): 1000, daysAgo(40): 9_000_000}
	for n := int64(1); n <= 7; n++ {
		spend[daysAgo(n)] = 200
	}
	spend[daysAgo(10)] = 50 // in the month, but not in the average
	spend[daysAgo(15)] = 7_000_000
	require.Equal(t, MonthForecast{Spent: 2450, PerDay: 200, Days: 7, Total: 2450 + 3100}, ForecastMonth(spend, noon))
}

func TestForecastOfANewKeyCountsItsDaysOnly(t *testing.T) {
	f := ForecastMonth(map[int64]int64{daysAgo(2): 300, daysAgo(0): 10}, noon)
	require.Equal(t, MonthForecast{Spent: 310, PerDay: 150, Days: 2, Total: 310 + 2325}, f)
	require.Equal(t, MonthForecast{Spent: 10}, ForecastMonth(map[int64]int64{daysAgo(0): 10}, noon), "one incomplete day is not enough")
	require.Equal(t, MonthForecast{}, ForecastMonth(nil, noon))
}

func TestForecastUsesTheUTCMonth(t *testing.T) {
	first := time.Date(2026, 12, 1, 0, 30, 0, 0, time.UTC)
	spend := map[int64]int64{DayOfTime(first): 5, DayOfTime(first) - 1: 700}
	f := ForecastMonth(spend, first.In(time.FixedZone("behind", -10*3600)))
	require.EqualValues(t, 5, f.Spent, "yesterday belongs to November")
	require.EqualValues(t, 700, f.PerDay)
	require.Equal(t, DayOfTime(first)-7, ForecastSince(first))
	require.Equal(t, daysAgo(14), ForecastSince(noon))
}

func TestForecastOfHugeSpendSaturates(t *testing.T) {
	f := ForecastMonth(map[int64]int64{daysAgo(1): math.MaxInt64, daysAgo(0): math.MaxInt64}, noon)
	require.EqualValues(t, math.MaxInt64, f.Spent)
	require.EqualValues(t, math.MaxInt64, f.Total)
}

func TestForecastSaysWhenABudgetIsReached(t *testing.T) {
	f := MonthForecast{Spent: 1000, PerDay: 100, Days: 7, Total: 2550}
	at, ok := f.ReachedAt(1300, noon)
	require.True(t, ok)
	require.Equal(t, noon.AddDate(0, 0, 3), at)
	at, ok = f.ReachedAt(900, noon)
	require.True(t, ok, "it is reached")
	require.Equal(t, noon, at)
	_, ok = f.ReachedAt(2551, noon)
	require.False(t, ok, "not in this month")
	_, ok = MonthForecast{Spent: 1000}.ReachedAt(1300, noon)
	require.False(t, ok, "without an average there is no forecast")
}

func TestDailySpendIsGroupedByKey(t *testing.T) {
	of := func(key string, day, nano int64) Spend {
		return Spend{KeyDay{Account: "acc", Key: key, Day: day}, nano}
	}
	total, byKey := GroupDailySpend([]Spend{of("a", 1, 5), of("b", 1, 7), of("a", 2, 9)})
	require.Equal(t, map[int64]int64{1: 12, 2: 9}, total)
	require.Equal(t, map[string]map[int64]int64{"a": {1: 5, 2: 9}, "b": {1: 7}}, byKey)
}
