package policy

import (
	"cmp"
	"time"
)

// Condition is something that must hold of a request, its key or the time. What
// is not known does not hold.
type Condition struct {
	Field string `json:"field"`
	// Name is that of request.metadata.NAME and feature.NAME.
	Name string `json:"name,omitempty"`
	// In are words, one of which it must be or have.
	In []string `json:"in,omitempty"`
	// Min and Max are inclusive. Those of budget.used_percent are in thousandths
	// of the budget.
	Min *int64 `json:"min,omitempty"`
	Max *int64 `json:"max,omitempty"`
	// Window is that of time.utc.
	Window *Window `json:"window,omitempty"`
	// Is is for what is yes or no.
	Is *bool `json:"is,omitempty"`
}

// The fields of conditions.
const (
	FieldKeyTag     = "key.tag"
	FieldKeyID      = "key.id"
	FieldAccount    = "account"
	FieldBudget     = "budget.used_percent"
	FieldTime       = "time.utc"
	FieldWeekday    = "time.weekday"
	FieldMetadata   = "request.metadata"
	FieldStream     = "request.stream"
	FieldTokens     = "request.tokens"
	FieldCapability = "request.capability"
	FieldFeature    = "feature"
)

// sound tells whether the condition has what its field needs.
func (c *Condition) sound() bool {
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

// Window is a part of every day, in minutes since midnight: From is in it and
// To is not. It goes over midnight where To is the smaller one.
type Window struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// Has tells whether a time is in the window.
func (w Window) Has(t time.Time) bool {
	t = t.UTC()
	at := t.Hour()*60 + t.Minute()
	if w.From <= w.To {
		return w.From <= at && at < w.To
	}
	return at >= w.From || at < w.To
}

// holds tells whether all of another window is in this one.
func (w Window) holds(o Window) bool {
	if w.length() == minutesPerDay {
		return true
	}
	return (o.From-w.From+minutesPerDay)%minutesPerDay+o.length() <= w.length()
}

// length is in minutes; a window is never empty.
func (w Window) length() int {
	return cmp.Or((w.To-w.From+minutesPerDay)%minutesPerDay, minutesPerDay)
}

// Weekday is how conditions write a day of the week.
func Weekday(t time.Time) string { return weekdays()[t.UTC().Weekday()] }

func weekdays() []string { return []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"} }
