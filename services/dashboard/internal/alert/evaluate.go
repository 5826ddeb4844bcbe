package alert

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
)

const (
	// evaluateInterval is the time between two rounds.
	evaluateInterval = 30 * time.Second
	// roundTimeout bounds a round, and measureTimeout the measurement of one rule.
	roundTimeout   = 5 * time.Minute
	measureTimeout = 5 * time.Second
	// leaseTime is how long other dashboards do not evaluate after the last sign of life of
	// the one that does. It is longer than measureTimeout, because the lease is renewed before
	// every rule.
	leaseTime = 90 * time.Second
	rulesPage = 200
	// maxLogged is how many failing rules a round logs, and maxFailingRules how many of them are
	// remembered.
	maxLogged       = 10
	maxFailingRules = 1000
)

// Store keeps rules, channels, states and deliveries.
type Store interface {
	// HoldAlertLease takes or renews the lease of the evaluator. It returns false if another
	// holder has it.
	HoldAlertLease(ctx context.Context, holder string, now, until time.Time) (bool, error)
	// EnabledAlertRules returns the next rules by id, of all accounts.
	EnabledAlertRules(ctx context.Context, after string, limit int) ([]Rule, error)
	AlertStates(ctx context.Context, ruleID string) ([]State, error)
	AlertChannels(ctx context.Context, account string) ([]Channel, error)
	// SaveAlertChange stores a state, and the event and deliveries that it causes, in one
	// transaction. It returns false, and stores nothing, if the state has another revision or
	// the rule was deleted or saved since. For a resolved event it drops the waiting deliveries of
	// the incident, so that none of them arrives after the event. If quiet hours held a dropped
	// delivery, it also drops that of the event to the same channel.
	SaveAlertChange(ctx context.Context, c Change) (bool, error)
}

// Change is a new state, with the event and deliveries that it causes.
type Change struct {
	// Rule is the rule as it was evaluated.
	Rule  Rule
	State State
	// Event is nil if Firing has not changed.
	Event      *Event
	Deliveries []Delivery
}

// Source measures what a rule compares with its threshold. An error means that the value is
// unknown. The state then stays as it is.
type Source interface {
	Measure(ctx context.Context, r Rule, now time.Time) ([]Reading, error)
}

// Evaluator measures all rules. Several may run at the same time; the lease chooses one.
type Evaluator struct {
	Store  Store
	Source Source
	// Origin is the public URL without a path, for links in messages.
	Origin string
	Log    *slog.Logger
	Now    func() time.Time
	// Holder identifies this process.
	Holder string

	// failing is whether the last round failed.
	failing bool
	// failingRules has the ids of the rules whose failure was logged and has not ended.
	failingRules map[string]bool
	// after is the id of the rule that was evaluated last; empty if the last round reached the end.
	after string
	// logged counts the failing rules that this round has logged.
	logged int
}

// Run evaluates until ctx ends.
func (e *Evaluator) Run(ctx context.Context) error {
	tick := time.NewTicker(evaluateInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			err := e.Round(ctx)
			if err != nil && ctx.Err() == nil && !e.failing {
				e.Log.WarnContext(ctx, "alerts are not evaluated completely", "error", err)
			}
			e.failing = err != nil
		}
	}
}

// Round evaluates every rule once, unless another dashboard holds the lease. A rule that fails
// is logged, and does not keep the others from being evaluated. A round that ends early is
// continued by the next one, so that slow rules do not keep the last ones from being evaluated.
func (e *Evaluator) Round(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, roundTimeout)
	defer cancel()
	e.logged = 0
	for {
		if held, err := e.holdLease(ctx); err != nil || !held {
			return err
		}
		rules, err := e.Store.EnabledAlertRules(ctx, e.after, rulesPage)
		if err != nil {
			return err
		}
		if len(rules) == 0 {
			e.after = ""
			return nil
		}
		for _, r := range rules {
			if held, err := e.holdLease(ctx); err != nil || !held {
				return err
			}
			err := e.evaluate(ctx, r)
			e.after = r.ID
			if ctx.Err() != nil {
				return ctx.Err()
			}
			e.noteResult(ctx, r, err)
		}
	}
}

// noteResult logs that a rule fails, unless its last failure was logged and has not ended. A rule
// beyond maxLogged is logged in a later round.
func (e *Evaluator) noteResult(ctx context.Context, r Rule, err error) {
	if err == nil {
		delete(e.failingRules, r.ID)
		return
	}
	if e.failingRules[r.ID] || e.logged >= maxLogged {
		return
	}
	// Deleted rules stay in the map until it is full. Some failures are then logged again.
	if e.failingRules == nil || len(e.failingRules) >= maxFailingRules {
		e.failingRules = map[string]bool{}
	}
	e.failingRules[r.ID] = true
	e.logged++
	e.Log.WarnContext(ctx, "an alert cannot be evaluated", "rule", r.ID, "kind", string(r.Kind), "error", err)
}

func (e *Evaluator) holdLease(ctx context.Context) (bool, error) {
	now := truncate(e.Now())
	return e.Store.HoldAlertLease(ctx, e.Holder, now, now.Add(leaseTime))
}

func (e *Evaluator) evaluate(ctx context.Context, r Rule) error {
	ctx, cancel := context.WithTimeout(ctx, measureTimeout)
	defer cancel()
	now := truncate(e.Now())
	readings, err := e.Source.Measure(ctx, r, now)
	if err != nil {
		return err
	}
	states, err := e.Store.AlertStates(ctx, r.ID)
	if err != nil {
		return err
	}
	for _, p := range pairUp(r, states, subjectsOf(r, states, readings)) {
		if err := e.observe(ctx, r, p, now); err != nil {
			return err
		}
	}
	return nil
}

type pair struct {
	state   State
	reading Reading
}

// pairUp combines each reading with its state. A state without a reading belongs to a subject
// that no longer exists, so it gets a quiet reading, which resolves it.
func pairUp(r Rule, states []State, readings []Reading) (all []pair) {
	known := map[string]State{}
	for _, s := range states {
		known[s.Subject] = s
	}
	for _, v := range readings {
		s, ok := known[v.Subject]
		if !ok {
			s = State{RuleID: r.ID, AccountID: r.AccountID, Subject: v.Subject}
		}
		delete(known, v.Subject)
		all = append(all, pair{s, v})
	}
	for _, s := range states {
		if _, left := known[s.Subject]; left {
			all = append(all, pair{s, Reading{Subject: s.Subject, Name: s.Name, Quiet: true}})
		}
	}
	return all
}

func (e *Evaluator) observe(ctx context.Context, r Rule, p pair, now time.Time) error {
	next, changed := p.state.Observe(r, p.reading, now)
	if !p.state.needsSaving(next) {
		return nil
	}
	change := Change{Rule: r, State: next}
	if changed {
		if err := e.addEvent(ctx, &change, p.reading, now); err != nil {
			return err
		}
	}
	stored, err := e.Store.SaveAlertChange(ctx, change)
	if stored && changed {
		e.Log.InfoContext(ctx, "alert changed", "rule", r.ID, "kind", string(r.Kind), "firing", next.Firing, "incident", change.State.Incident)
	}
	return err
}

func (e *Evaluator) addEvent(ctx context.Context, c *Change, v Reading, now time.Time) error {
	if c.State.Firing {
		c.State.Incident = uuid.NewString()
	}
	event := Event{
		ID: uuid.NewString(), AccountID: c.Rule.AccountID, RuleID: c.Rule.ID, Incident: c.State.Incident, Firing: c.State.Firing, At: now,
		Text: describe(c.Rule, c.State, v),
	}
	c.Event = &event
	channels, err := e.Store.AlertChannels(ctx, c.Rule.AccountID)
	if err != nil {
		return err
	}
	c.Deliveries = newDeliveries(c.Rule, channels, newMessage(event, c.Rule, c.State, e.Origin), now)
	return nil
}

func newDeliveries(r Rule, channels []Channel, m Message, now time.Time) (all []Delivery) {
	for _, id := range r.Channels {
		for i := range channels {
			if c := &channels[i]; c.ID == id {
				d := Delivery{ID: uuid.NewString(), AccountID: r.AccountID, ChannelID: id, Incident: m.Data.Incident, Message: m, Due: now}
				if end, quiet := c.Quiet.Until(now); quiet {
					d.Held, d.Due = true, truncate(end)
				}
				all = append(all, d)
			}
		}
	}
	return all
}
