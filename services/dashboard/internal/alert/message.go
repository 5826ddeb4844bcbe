package alert

import (
	"fmt"
	"strings"
	"time"
)

// Message is what a channel gets. It is stored with the delivery, so that a later change of
// the rule does not change it.
type Message struct {
	// ID is the id of the event. Receivers recognize a repeated message by it.
	ID string `json:"id"`
	// Type is alert.firing, alert.resolved or alert.test.
	Type      string    `json:"type"`
	Time      time.Time `json:"time"`
	AccountID string    `json:"account_id"`
	Data      Data      `json:"data"`
}

// Data is the part of a message about the alert.
type Data struct {
	Incident string `json:"incident"`
	Rule     string `json:"rule"`
	Kind     Kind   `json:"kind"`
	// Subject is the provider, key or certificate; empty for kinds with a single value.
	Subject   string  `json:"subject"`
	Text      string  `json:"text"`
	Value     float64 `json:"value"`
	Threshold float64 `json:"threshold"`
	Unit      Unit    `json:"unit"`
	// Link opens the page with the cause, and Runbook the documentation.
	Link    string `json:"link"`
	Runbook string `json:"runbook"`
}

// The types of messages.
const (
	TypeFiring   = "alert.firing"
	TypeResolved = "alert.resolved"
	TypeTest     = "alert.test"
)

// describe returns the text of an event.
func describe(r Rule, s State, v Reading) string {
	spec, _ := r.Kind.Spec()
	subject := ""
	if s.Name != "" {
		subject = " (" + s.Name + ")"
	}
	if !s.Firing {
		return fmt.Sprintf("%s%s is back to normal.", spec.Name, subject)
	}
	text := fmt.Sprintf("%s%s", spec.Name, subject)
	if spec.Unit != Occurrence {
		over := "at least"
		if spec.Falling {
			over = "at most"
		}
		text += fmt.Sprintf(" is %s, %s the threshold of %s", spec.Unit.FormatValue(v.Value), over, spec.Unit.FormatValue(r.Threshold))
	}
	if r.Window > 0 {
		text += " over " + formatWindow(r.Window)
	}
	if v.Detail != "" {
		text += ": " + v.Detail
	}
	return strings.TrimSuffix(text, ".") + "."
}

func formatWindow(d time.Duration) string {
	if d%time.Hour == 0 {
		if d == time.Hour {
			return "1 hour"
		}
		return fmt.Sprintf("%d hours", d/time.Hour)
	}
	return fmt.Sprintf("%d minutes", d/time.Minute)
}

// newMessage returns the message of an event. origin is the public URL without a path.
func newMessage(e Event, r Rule, s State, origin string) Message {
	spec, _ := r.Kind.Spec()
	kind := TypeFiring
	if !e.Firing {
		kind = TypeResolved
	}
	return Message{ID: e.ID, Type: kind, Time: e.At, AccountID: e.AccountID, Data: Data{
		Incident: e.Incident, Rule: r.Name, Kind: r.Kind, Subject: s.Subject, Text: e.Text, Value: s.Value, Threshold: r.Threshold,
		Unit: spec.Unit, Link: origin + spec.Link, Runbook: origin + r.Kind.Runbook(),
	}}
}

// NewTestMessage returns the message of the test button.
func NewTestMessage(id, account, channel string, at time.Time, origin string) Message {
	return Message{ID: id, Type: TypeTest, Time: at, AccountID: account, Data: Data{
		Text: "This is a test of the channel " + channel + ". Alerts will arrive here.", Link: origin + "/alerts", Runbook: origin + "/docs/alerts",
	}}
}

// Title returns one line about the message.
func (m Message) Title() string {
	switch m.Type {
	case TypeFiring:
		return "Firing: " + m.Data.Rule
	case TypeResolved:
		return "Resolved: " + m.Data.Rule
	}
	return "Test alert"
}
