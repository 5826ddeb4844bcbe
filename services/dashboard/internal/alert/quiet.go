package alert

import (
	"errors"
	"fmt"
	"time"

	_ "time/tzdata" // container images have no time zones
)

// QuietHours is a time of day in which a channel gets no messages. From and To are minutes
// since midnight in Zone. If To is less than From, the hours end on the next day. Equal values
// mean that there are none.
type QuietHours struct {
	From, To int
	// Zone is a name such as Europe/Berlin; empty means UTC.
	Zone string
}

const minutesPerDay = 24 * 60

// IsSet reports whether there are quiet hours.
func (q QuietHours) IsSet() bool { return q.From != q.To }

// Validate returns an error if the hours or the zone do not exist.
func (q QuietHours) Validate() error {
	if q.From < 0 || q.To < 0 || q.From >= minutesPerDay || q.To >= minutesPerDay {
		return errors.New("quiet hours are times of day, such as 22:00")
	}
	if _, err := time.LoadLocation(q.Zone); err != nil || q.Zone == "Local" {
		return fmt.Errorf("there is no time zone %q; use a name such as Europe/Berlin", q.Zone)
	}
	return nil
}

// Until returns the end of the quiet hours that contain the time. ok is false outside of them.
func (q QuietHours) Until(at time.Time) (end time.Time, ok bool) {
	zone, err := time.LoadLocation(q.Zone)
	if !q.IsSet() || err != nil {
		return time.Time{}, false
	}
	local := at.In(zone)
	// Quiet hours that contain the time began today or yesterday. time.Date knows the days on
	// which the clock changes.
	for _, day := range []int{local.Day() - 1, local.Day()} {
		begin := time.Date(local.Year(), local.Month(), day, 0, q.From, 0, 0, zone)
		lastDay := day
		if q.To < q.From {
			lastDay++
		}
		end := time.Date(local.Year(), local.Month(), lastDay, 0, q.To, 0, 0, zone)
		if !at.Before(begin) && at.Before(end) {
			return end, true
		}
	}
	return time.Time{}, false
}
