package spend

import (
	"fmt"
	"slices"
	"time"
)

// Period is an hour, as YYYY-MM-DDTHH, a day, as YYYY-MM-DD, a week, as YYYY-Www, a month, as
// YYYY-MM, or the whole lifetime of a budget, all in UTC. When periods are sorted as strings,
// a month comes before its days.
type Period string

const (
	hourLayout  = "2006-01-02T15"
	dayLayout   = "2006-01-02"
	weekLayout  = "2006-W01"
	monthLayout = "2006-01"
	// Lifetime is the period of a prepaid amount.
	Lifetime Period = "total"
)

// DayOf returns the UTC day of a time.
func DayOf(t time.Time) Period { return Period(t.UTC().Format(dayLayout)) }

// HourOf returns the UTC hour of a time.
func HourOf(t time.Time) Period { return Period(t.UTC().Format(hourLayout)) }

// weekOf returns the ISO week of a time.
func weekOf(t time.Time) Period {
	year, week := t.UTC().ISOWeek()
	return Period(fmt.Sprintf("%04d-W%02d", year, week))
}

// CurrentPeriods returns the periods of a group budget that contain t: hour, day, week,
// month and lifetime.
func CurrentPeriods(t time.Time) []Period {
	day := DayOf(t)
	return []Period{HourOf(t), day, weekOf(t), day.Month(), Lifetime}
}

// Month returns the month of an hour or a day, or the month itself.
func (p Period) Month() Period { return p[:len(monthLayout)] }

// limitName returns the name of the budget for this kind of period.
func (p Period) limitName() string {
	switch len(p) {
	case len(hourLayout):
		return PerHour
	case len(dayLayout):
		return PerDay
	case len(weekLayout):
		return PerWeek
	case len(monthLayout):
		return PerMonth
	}
	return Total
}

// budget returns the limit that applies to this kind of period; 0 means none.
func (p Period) budget(b Budget) int64 {
	switch p.limitName() {
	case PerHour:
		return b.NanoUSDPerHour
	case PerDay:
		return b.NanoUSDPerDay
	case PerWeek:
		return b.NanoUSDPerWeek
	case PerMonth:
		return b.NanoUSDPerMonth
	}
	return b.NanoUSDTotal
}

// isCurrentOrRecent reports whether the period contains t, or ended less than
// lateSpendWindow before t. The last spend of a period can arrive after its end.
func (p Period) isCurrentOrRecent(t time.Time) bool {
	return slices.Contains(CurrentPeriods(t), p) || slices.Contains(CurrentPeriods(t.Add(-lateSpendWindow)), p)
}
