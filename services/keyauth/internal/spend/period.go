package spend

import (
	"slices"
	"time"
)

// Period is a UTC day, as YYYY-MM-DD, or a month, as YYYY-MM. When periods are sorted
// as strings, a month comes before its days.
type Period string

const (
	dayLayout   = "2006-01-02"
	monthLayout = "2006-01"
)

// DayOf returns the UTC day of a time.
func DayOf(t time.Time) Period { return Period(t.UTC().Format(dayLayout)) }

// Month returns the month of a day, or the month itself.
func (p Period) Month() Period { return p[:len(monthLayout)] }

func (p Period) isDay() bool { return len(p) == len(dayLayout) }

// limitName returns the name of the budget for this kind of period.
func (p Period) limitName() string {
	if p.isDay() {
		return PerDay
	}
	return PerMonth
}

// budget returns the limit that applies to this kind of period; 0 means none.
func (p Period) budget(b Budget) int64 {
	if p.isDay() {
		return b.NanoUSDPerDay
	}
	return b.NanoUSDPerMonth
}

// isCurrentOrRecent reports whether the period contains t, or ended less than
// lateSpendWindow before t. The last spend of a period can arrive after its end.
func (p Period) isCurrentOrRecent(t time.Time) bool {
	today, recent := DayOf(t), DayOf(t.Add(-lateSpendWindow))
	return slices.Contains([]Period{today, today.Month(), recent, recent.Month()}, p)
}
