package record

import "time"

// Spender is a key of an account on one UTC day, in days since 1970.
type Spender struct {
	Account, Key string
	Day          int64
}

// Spend is what a key has spent in one day, in nano-USD, saturating.
type Spend struct {
	Spender
	NanoUSD int64
}

// Spent is nano-USD of a UTC day and of its month, saturating.
type Spent struct{ Day, Month int64 }

// Spending is what an account has spent, in all and by key. What no price is
// known of is in none of it. The zero value is nothing.
type Spending struct {
	Total Spent
	Keys  map[string]Spent

	day, month Amount
}

// Add counts what a key has spent; each key comes once.
func (s *Spending) Add(key string, day, month Amount) {
	s.day.add(day)
	s.month.add(month)
	s.Total = Spent{s.day.nano(), s.month.nano()}
	if s.Keys == nil {
		s.Keys = map[string]Spent{}
	}
	s.Keys[key] = Spent{day.nano(), month.nano()}
}

// DayOf is the UTC day of a time, in days since 1970.
func DayOf(at time.Time) int64 {
	begin, _ := Today(at)
	return begin.Unix() / int64(aDay/time.Second)
}

// Today is when the UTC day of a time began and when the next one does.
func Today(at time.Time) (begin, next time.Time) {
	begin = at.UTC().Truncate(aDay)
	return begin, begin.Add(aDay)
}

// Month is when the UTC month of a time began and when the next one does.
func Month(at time.Time) (begin, next time.Time) {
	at = at.UTC()
	begin = time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
	return begin, begin.AddDate(0, 1, 0)
}
