package policy

import (
	"cmp"
	"time"
)

// Condition is a test of a request, its key or the time. A condition on an unknown time,
// budget, metadata value or feature does not hold.
type Condition struct {
	Field string `json:"field"`
	// Name is the NAME in request.metadata.NAME and feature.NAME.
	Name string `json:"name,omitempty"`
	// In lists the accepted values. At least one of them must match.
	In []string `json:"in,omitempty"`
	// Min and Max are inclusive. For budget.used_percent they are in tenths of a percent.
	Min *int64 `json:"min,omitempty"`
	Max *int64 `json:"max,omitempty"`
	// Window is set for time.utc.
	Window *Window `json:"window,omitempty"`
	// Is is the required value of request.stream, or of a feature that is compared with
	// true or false.
	Is *bool `json:"is,omitempty"`
}

// These are the fields of conditions.
const (
	FieldKeyTag     = "key.tag"             // a tag of the key
	FieldKeyID      = "key.id"              // the id of the key
	FieldAccount    = "account"             // the id of the account
	FieldBudget     = "budget.used_percent" // the most used budget of the key and the account, in percent
	FieldTime       = "time.utc"            // the time of day in UTC, such as "08:00-18:00"
	FieldWeekday    = "time.weekday"        // the day of the week in UTC, such as mon-fri
	FieldMetadata   = "request.metadata"    // a value of the request's metadata, as request.metadata.NAME
	FieldStream     = "request.stream"      // whether the client requested a stream
	FieldTokens     = "request.tokens"      // the estimated input tokens
	FieldCapability = "request.capability"  // a capability that the request needs, such as tools
	FieldFeature    = "feature"             // a feature of the request, as feature.NAME
)

// isValid reports whether the condition has the values that its field requires.
func (c *Condition) isValid() bool {
	switch c.Field {
	case FieldKeyTag, FieldKeyID, FieldAccount, FieldWeekday, FieldMetadata, FieldCapability:
		return len(c.In) > 0
	case FieldBudget, FieldTokens:
		return c.Min != nil || c.Max != nil
	case FieldFeature:
		return c.Min != nil || c.Max != nil || c.Is != nil
	case FieldStream:
		return c.Is != nil
	case FieldTime:
		return c.Window != nil
	}
	return false
}

// Window is a part of every day, in minutes since midnight UTC. It includes From and
// excludes To. If To is smaller than From, the window spans midnight.
type Window struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// Contains reports whether a time is in the window.
func (w Window) Contains(t time.Time) bool {
	t = t.UTC()
	at := t.Hour()*60 + t.Minute()
	if w.From <= w.To {
		return w.From <= at && at < w.To
	}
	return at >= w.From || at < w.To
}

// containsWindow reports whether the window o lies within w.
func (w Window) containsWindow(o Window) bool {
	if w.length() == minutesPerDay {
		return true
	}
	return (o.From-w.From+minutesPerDay)%minutesPerDay+o.length() <= w.length()
}

// length returns the minutes in the window. If the ends are equal modulo a day, as in
// 00:00-24:00, the window is a whole day. Documents cannot contain an empty window.
func (w Window) length() int {
	return cmp.Or((w.To-w.From+minutesPerDay)%minutesPerDay, minutesPerDay)
}

// FormatWeekday returns the day of the week in the form that conditions use, such as
// mon.
func FormatWeekday(t time.Time) string { return weekdayNames()[t.UTC().Weekday()] }

func weekdayNames() []string { return []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"} }
