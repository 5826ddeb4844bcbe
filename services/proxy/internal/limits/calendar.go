package limits

import "time"

// calendar holds the UTC day and month of a point in time.
type calendar struct {
	day, month                 string
	dayStart, dayEnd, monthEnd time.Time
}

func newCalendar(t time.Time) *calendar {
	t = t.UTC()
	day := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	return &calendar{
		day: day.Format(time.DateOnly), month: day.Format("2006-01"),
		dayStart: day, dayEnd: day.AddDate(0, 0, 1),
		monthEnd: time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC),
	}
}

func (c *calendar) contains(t time.Time) bool {
	return !t.Before(c.dayStart) && t.Before(c.dayEnd)
}

// calendarAt returns the calendar of t. It caches the last result.
func (k *Limiter) calendarAt(t time.Time) *calendar {
	c := k.today.Load()
	if c == nil || !c.contains(t) {
		c = newCalendar(t)
		k.today.Store(c)
	}
	return c
}
