package record

import "time"

// KeyDay identifies one key of an account on one UTC day, or a group budget in one hour of
// that day. Day counts the days since 1970.
type KeyDay struct {
	Account, Key string
	// Budget is empty for a key. For a group budget, it is as BudgetHour returns it.
	Budget string
	Day    int64
}

// BudgetHour returns the name of a group budget in the hour of a time: the hour of the day with
// two digits, a slash and the budget.
func BudgetHour(at time.Time, budget string) string { return at.UTC().Format("15") + "/" + budget }

// Spend is the cost of a key's requests on one day, in nano-USD. A sum that is
// too large for int64 becomes math.MaxInt64.
type Spend struct {
	KeyDay
	NanoUSD int64
}

// PeriodSpend is the spend of a UTC day and of its month, in nano-USD. A sum that
// is too large for int64 becomes math.MaxInt64.
type PeriodSpend struct{ Day, Month int64 }

// AccountSpend is the spend of an account, in total and by key. It leaves out
// requests whose price is unknown. The zero value is empty.
type AccountSpend struct {
	Total PeriodSpend
	Keys  map[string]PeriodSpend

	day, month Amount
}

// AddKey adds the spend of a key. Each key may be added only once.
func (s *AccountSpend) AddKey(key string, day, month Amount) {
	s.day.add(day)
	s.month.add(month)
	s.Total = PeriodSpend{s.day.nano(), s.month.nano()}
	if s.Keys == nil {
		s.Keys = map[string]PeriodSpend{}
	}
	s.Keys[key] = PeriodSpend{day.nano(), month.nano()}
}

// DayOfTime returns the UTC day of a time, in days since 1970.
func DayOfTime(at time.Time) int64 {
	begin, _ := DayBounds(at)
	return begin.Unix() / int64(oneDay/time.Second)
}

// DayBounds returns the start of the UTC day of a time, and the start of the
// next day.
func DayBounds(at time.Time) (begin, next time.Time) {
	begin = at.UTC().Truncate(oneDay)
	return begin, begin.Add(oneDay)
}

// MonthBounds returns the start of the UTC month of a time, and the start of
// the next month.
func MonthBounds(at time.Time) (begin, next time.Time) {
	at = at.UTC()
	begin = time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
	return begin, begin.AddDate(0, 1, 0)
}
