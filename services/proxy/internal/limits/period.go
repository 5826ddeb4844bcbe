package limits

import "time"

// calendar names the day and the month of a moment, in UTC.
type calendar struct {
	day, month                     string
	dayBegins, dayEnds, monthsEnds time.Time
}

func calendarOf(t time.Time) *calendar {
	t = t.UTC()
	day := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	return &calendar{
		day: day.Format(time.DateOnly), month: day.Format("2006-01"),
		dayBegins: day, dayEnds: day.AddDate(0, 0, 1),
		monthsEnds: time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC),
	}
}

func (c *calendar) holds(t time.Time) bool {
	return !t.Before(c.dayBegins) && t.Before(c.dayEnds)
}

// calendar is that of a moment; it is made once a day.
func (k *Keeper) calendar(t time.Time) *calendar {
	c := k.today.Load()
	if c == nil || !c.holds(t) {
		c = calendarOf(t)
		k.today.Store(c)
	}
	return c
}
