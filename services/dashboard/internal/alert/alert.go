// Package alert tells users when something needs their attention. A Rule compares a measured
// value with a threshold. Its State fires if the value is too high for some time, and resolves
// if it is clearly lower for some time. Every change is an Event, which is delivered to the
// Channels of the rule: webhooks, Slack-compatible webhooks and e-mail.
//
// An Evaluator measures all rules. It stores a change together with its deliveries in one
// transaction, so that a crash neither loses nor repeats a decision. A Deliverer sends the
// stored deliveries. A delivery can arrive more than once, always with the same id. Both run
// in every dashboard: a lease chooses one evaluator, and each delivery is taken by one process.
// The package does no I/O itself.
package alert

import (
	"slices"
	"time"
)

// Rule says when an account wants to be told.
type Rule struct {
	ID, AccountID, Name string
	Kind                Kind
	// Threshold is in the unit of the kind. The rule fires if the value reaches it.
	Threshold float64
	// Window is the time over which the value is measured; 0 for kinds without one.
	Window time.Duration
	// MinRequests is how many requests the window must have. With fewer, the value counts as
	// unsuspicious, because a single error would be a high rate.
	MinRequests int64
	Enabled     bool
	// Channels are the ids of the channels.
	Channels []string
	// AuthorID and Author are the user who saved the rule last. Budgets are read with the
	// permissions of this user.
	AuthorID, Author string
	Updated          time.Time
}

// ChannelKind is a way to deliver messages.
type ChannelKind string

// The kinds of channels.
const (
	Webhook ChannelKind = "webhook"
	Slack   ChannelKind = "slack"
	Email   ChannelKind = "email"
)

// ChannelKinds returns all kinds of channels.
func ChannelKinds() []ChannelKind { return []ChannelKind{Webhook, Slack, Email} }

// Channel is where messages go.
type Channel struct {
	ID, AccountID, Name string
	Kind                ChannelKind
	// Address is a URL, or an e-mail address. It is secret: the URLs of many services contain
	// a token. The store keeps it encrypted.
	Address string
	// Secret signs webhooks; empty for other kinds.
	Secret string
	Quiet  QuietHours
	// LastError says why the newest delivery failed; empty if it succeeded. LastAt is its time.
	LastError string
	LastAt    time.Time
	Updated   time.Time
}

// State is whether a rule fires for one subject, such as a provider or a key.
type State struct {
	RuleID, AccountID, Subject string
	// Name is the display name of the subject.
	Name   string
	Firing bool
	// Incident identifies one firing and its end; empty before the first one.
	Incident string
	// Since is when Firing changed.
	Since time.Time
	// Suspect is when the value first differed from Firing: too high while the rule does not
	// fire, or low enough while it fires. It is zero if the value agrees.
	Suspect time.Time
	Value   float64
	// Revision counts the changes. The store rejects a change of an older revision.
	Revision int64
}

// Event is a change of a state.
type Event struct {
	// ID is the same in all deliveries of the event.
	ID, AccountID, RuleID, Incident string
	Firing                          bool
	At                              time.Time
	Text                            string
}

// Delivery is a message that waits for a channel.
type Delivery struct {
	ID, AccountID, ChannelID, Incident string
	Message                            Message
	// Held means that the delivery waits for the end of quiet hours.
	Held  bool
	Due   time.Time
	Tries int
}

// Limits of one account. They bound what an account can store and send.
const (
	MaxRules      = 50
	MaxChannels   = 20
	MaxDeliveries = 200
	// MaxEvents is how many events are kept.
	MaxEvents = 200
	// maxSubjects is how many subjects a rule measures, unless more of them already fire.
	maxSubjects = 100
)

// subjectsOf returns the readings that a rule may have states for. They are those of all subjects
// that fire or are suspect, because a state without a reading resolves, and then the worst ones.
func subjectsOf(r Rule, states []State, readings []Reading) []Reading {
	if len(readings) <= maxSubjects {
		return readings
	}
	active := map[string]bool{}
	for _, s := range states {
		active[s.Subject] = s.Firing || !s.Suspect.IsZero()
	}
	var chosen, others []Reading
	for _, v := range readings {
		if active[v.Subject] {
			chosen = append(chosen, v)
		} else {
			others = append(others, v)
		}
	}
	slices.SortStableFunc(others, r.compareBadness)
	return append(chosen, others[:min(len(others), max(0, maxSubjects-len(chosen)))]...)
}
