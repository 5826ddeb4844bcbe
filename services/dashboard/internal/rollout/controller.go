package rollout

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"
)

const (
	// interval is the time between two checks. A canary that breaks is rolled back a few
	// seconds after enough of its requests have failed.
	interval = 2 * time.Second
	// timeout limits a check.
	timeout = 10 * time.Second
	// auditedFor is how old events may be that are sent to the audit log. The log ignores
	// repeated ones, so an outage of the dashboard or of keyauth may last days.
	auditedFor = 30 * 24 * time.Hour
)

// Router is where rollouts are kept.
type Router interface {
	// Rollouts returns the latest rollouts, and the open one or nil.
	Rollouts(ctx context.Context) (all []State, open *State, err error)
	// Change changes a rollout if it still has the revision. It returns false if another
	// controller or a person was faster.
	Change(ctx context.Context, id string, revision int64, a Action, reason string) (bool, error)
}

// Ledger has the figures of rollouts.
type Ledger interface {
	RolloutFigures(ctx context.Context, id string, share int32) (Sides, error)
}

// AuditLog records what happens in rollouts. Recording an event again changes nothing.
type AuditLog interface {
	RecordRolloutEvent(ctx context.Context, rollout State, e Event) error
}

// Controller watches the open rollout. Several may run at the same time.
type Controller struct {
	Router Router
	Ledger Ledger
	Audit  AuditLog
	Log    *slog.Logger
	Now    func() time.Time

	// recorded has the listed events that the audit log contains.
	recorded map[int64]bool
	// failing means that the last check failed.
	failing bool
}

// Run checks the rollout until ctx ends.
func (c *Controller) Run(ctx context.Context) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			err := c.Check(ctx)
			if err != nil && ctx.Err() == nil && !c.failing {
				c.Log.WarnContext(ctx, "cannot check the rollout: its share does not change", "error", err)
			}
			c.failing = err != nil
		}
	}
}

// Check is one step of Run. A failing audit log does not keep it from rolling back.
func (c *Controller) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	all, open, err := c.Router.Rollouts(ctx)
	if err != nil {
		return err
	}
	changed := false
	if open != nil {
		changed, err = c.act(ctx, open)
	}
	if changed {
		if latest, _, readErr := c.Router.Rollouts(ctx); readErr == nil {
			all = latest
		}
	}
	return errors.Join(err, c.recordEvents(ctx, all))
}

// act does what the guardrails demand. It reports whether it has changed the rollout.
func (c *Controller) act(ctx context.Context, r *State) (bool, error) {
	sides, err := c.Ledger.RolloutFigures(ctx, r.ID, r.Share)
	if err != nil {
		return false, err
	}
	action, reason := Decide(*r, sides, Judge(sides, r.Limits), c.Now())
	if action == Wait {
		return false, nil
	}
	changed, err := c.Router.Change(ctx, r.ID, r.Revision, action, reason)
	if changed {
		c.Log.InfoContext(ctx, "rollout changed", "rollout", r.ID, "action", string(action), "share", r.Share, "reason", reason)
	}
	return changed, err
}

// recordEvents adds recent events to the audit log, the oldest first: after an outage several
// of them wait, and the log lists events in the order in which it gets them. If the process
// stops before, the next check of any controller does it.
func (c *Controller) recordEvents(ctx context.Context, all []State) error {
	known := map[int64]bool{}
	for _, e := range c.eventsToAudit(all) {
		if !c.recorded[e.Number] {
			if err := c.Audit.RecordRolloutEvent(ctx, e.rollout, e.Event); err != nil {
				return err
			}
		}
		known[e.Number] = true
	}
	c.recorded = known
	return nil
}

// eventOf is an event with its rollout.
type eventOf struct {
	Event
	rollout State
}

func (c *Controller) eventsToAudit(all []State) (events []eventOf) {
	for _, r := range all {
		for _, e := range r.Events {
			if c.Now().Sub(e.At) <= auditedFor {
				events = append(events, eventOf{e, r})
			}
		}
	}
	slices.SortFunc(events, func(a, b eventOf) int { return cmp.Compare(a.Number, b.Number) })
	return events
}
