package limits

import (
	"fmt"
	"time"
)

// windowKind is a kind of period of a budget. Keys and accounts have budgets of the day and the
// month only.
type windowKind int

const (
	hourWindow windowKind = iota
	dayWindow
	weekWindow
	monthWindow
	// totalWindow is the window of a prepaid amount. It never resets.
	totalWindow
	windowCount
)

var (
	// windowLimits holds the names of the limits.
	windowLimits = [windowCount]string{NanoUSDPerHour, NanoUSDPerDay, NanoUSDPerWeek, NanoUSDPerMonth, NanoUSDTotal}
	// windowNames holds the names of the windows in errors.
	windowNames = [windowCount]string{"hour", "day", "week", "month", "total"}
)

// The layouts of the periods. Each kind of period has a length of its own.
const (
	hourLayout  = "2006-01-02T15"
	weekLayout  = "2006-W01"
	monthLayout = "2006-01"
	lifetime    = "total"
)

// windowOf returns the window of a period, and false if the text is no period.
func windowOf(period string) (windowKind, bool) {
	switch len(period) {
	case len(hourLayout):
		return hourWindow, true
	case len(time.DateOnly):
		return dayWindow, true
	case len(weekLayout):
		return weekWindow, true
	case len(monthLayout):
		return monthWindow, true
	case len(lifetime):
		return totalWindow, period == lifetime
	}
	return 0, false
}

// calendar holds the UTC periods of a point in time.
type calendar struct {
	periods [windowCount]string
	// ends holds the ends of the periods. The end of the lifetime is zero.
	ends  [windowCount]time.Time
	start time.Time
}

func newCalendar(t time.Time) *calendar {
	t = t.UTC()
	hour := t.Truncate(time.Hour)
	day := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	year, week := day.ISOWeek()
	daysOfWeek := (int(day.Weekday()) + 6) % 7 // since Monday
	return &calendar{
		start: hour,
		periods: [windowCount]string{
			hour.Format(hourLayout), day.Format(time.DateOnly), fmt.Sprintf("%04d-W%02d", year, week), day.Format(monthLayout), lifetime,
		},
		ends: [windowCount]time.Time{
			hour.Add(time.Hour), day.AddDate(0, 0, 1), day.AddDate(0, 0, 7-daysOfWeek), time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC),
		},
	}
}

func (c *calendar) contains(t time.Time) bool {
	return !t.Before(c.start) && t.Before(c.ends[hourWindow])
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
