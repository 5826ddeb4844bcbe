package account

import "time"

// Period is a UTC day, as YYYY-MM-DD, or a month, as YYYY-MM. Periods compare
// as texts: a month is before all of its days.
type Period string

const (
	dayLayout   = "2006-01-02"
	monthLayout = "2006-01"
)

func dayOf(t time.Time) Period { return Period(t.UTC().Format(dayLayout)) }

// Month is the month of a day, or the month itself.
func (p Period) Month() Period { return p[:len(monthLayout)] }

func (p Period) isDay() bool { return len(p) == len(dayLayout) }

// meter is the name of the budget of such a period.
func (p Period) meter() string {
	if p.isDay() {
		return perDay
	}
	return perMonth
}

// budget is the limit that counts in such a period; 0 means none.
func (p Period) budget(l Limits) int64 {
	if p.isDay() {
		return l.NanoUSDPerDay
	}
	return l.NanoUSDPerMonth
}

// near reports whether the period is the present one, or ended so shortly ago
// that the last that was spent in it may only now be known.
func (p Period) near(t time.Time) bool {
	for _, day := range []Period{dayOf(t), dayOf(t.Add(-lateSpend))} {
		if p == day || p == day.Month() {
			return true
		}
	}
	return false
}
