package record

import (
	"math"
	"time"

	"github.com/signalbox/signalbox/pkg/saturate"
)

// forecastDays is the number of complete days whose average spend a forecast uses. Whole
// weeks have the same number of working days.
const forecastDays = 7

// MonthForecast estimates the spend of the UTC month of a time, in nano-USD.
type MonthForecast struct {
	// Spent is what the month has cost so far.
	Spent int64
	// PerDay is the average of the last complete days.
	PerDay int64
	// Days is the number of complete days that PerDay covers, at most forecastDays. Without
	// any there is no forecast, and PerDay and Total are zero.
	Days int64
	// Total is Spent and PerDay for each day that is left.
	Total int64
}

// ForecastSince returns the first day whose spend ForecastMonth needs.
func ForecastSince(now time.Time) int64 {
	first, _ := MonthBounds(now)
	return min(DayOfTime(first), DayOfTime(now)-forecastDays)
}

// ForecastMonth estimates the spend of the month of now. spend has the amount of each day
// since ForecastSince; days without spend may be missing. Days before the first spend do
// not count, because a new key would look cheaper than it is.
func ForecastMonth(spend map[int64]int64, now time.Time) MonthForecast {
	first, next := MonthBounds(now)
	today := DayOfTime(now)
	var f MonthForecast
	recent, begin := int64(0), today
	for day, nano := range spend {
		if day >= DayOfTime(first) && day <= today {
			f.Spent = saturate.Add(f.Spent, nano)
		}
		if day >= today-forecastDays && day < today {
			recent = saturate.Add(recent, nano)
		}
		begin = min(begin, day)
	}
	if f.Days = today - max(begin, today-forecastDays); f.Days == 0 {
		return f
	}
	perDay := float64(recent) / float64(f.Days)
	left := next.Sub(now).Hours() / 24
	f.PerDay, f.Total = saturateNano(perDay), saturateNano(float64(f.Spent)+perDay*left)
	return f
}

// ReachedAt returns when the spend reaches a budget at the average of the last days. ok is
// false if it does not in this month.
func (f MonthForecast) ReachedAt(budget int64, now time.Time) (at time.Time, ok bool) {
	_, next := MonthBounds(now)
	if budget <= f.Spent {
		return now, true
	}
	if f.PerDay == 0 {
		return time.Time{}, false
	}
	days := float64(budget-f.Spent) / float64(f.PerDay)
	if days > next.Sub(now).Hours()/24 {
		return time.Time{}, false
	}
	return now.Add(time.Duration(days * float64(oneDay))), true
}

// saturateNano rounds an amount. One beyond the range of int64 becomes math.MaxInt64.
func saturateNano(nano float64) int64 {
	if nano >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(math.Round(nano))
}

// GroupDailySpend sums spend by day, for all keys together and by key.
func GroupDailySpend(all []Spend) (total map[int64]int64, byKey map[string]map[int64]int64) {
	total, byKey = map[int64]int64{}, map[string]map[int64]int64{}
	for _, one := range all {
		if byKey[one.Key] == nil {
			byKey[one.Key] = map[int64]int64{}
		}
		byKey[one.Key][one.Day] = saturate.Add(byKey[one.Key][one.Day], one.NanoUSD)
		total[one.Day] = saturate.Add(total[one.Day], one.NanoUSD)
	}
	return total, byKey
}
