// Package rollouts defines the life of a rollout: the steps in which a candidate version of
// the policy replaces the stable version. Start, Advance, Halt, RollBack and Supersede
// compute the next state and the event to record. The package does no I/O: package store
// keeps the states, and package engine applies them. Package pkg/rollout decides which
// sessions the candidate serves.
package rollouts

import (
	"errors"
	"time"

	"github.com/signalbox/signalbox/pkg/rollout"
)

// The states of a rollout.
const (
	// Running means that the share grows when the guardrails allow it.
	Running = "running"
	// Halted means that the share stays until a person acts. The guardrails still apply.
	Halted = "halted"
	// Completed means that the candidate became the active version.
	Completed = "completed"
	// RolledBack means that all requests are served by the stable version again.
	RolledBack = "rolled_back"
	// Superseded means that another version became active.
	Superseded = "superseded"
)

// The actions of events.
const (
	ActionStart     = "start"
	ActionAdvance   = "advance"
	ActionHalt      = "halt"
	ActionRollBack  = "roll_back"
	ActionComplete  = "complete"
	ActionSupersede = "supersede"
)

// The errors of a store.
var (
	// ErrOpen means that another rollout is open.
	ErrOpen = errors.New("another rollout is open")
	// ErrChanged means that the rollout has another revision, or has ended.
	ErrChanged = errors.New("the rollout has changed")
)

// Rollout is the state of a rollout.
type Rollout struct {
	ID string
	// Revision changes with every change.
	Revision          int64
	State             string
	Stable, Candidate string
	// Share is in hundredths of a percent. It is 0 after a rollback.
	Share                int32
	Started, StepStarted time.Time
	// Ended is zero while the rollout is open.
	Ended        time.Time
	Author, Note string
	// Reason says why the rollout was last halted, rolled back or superseded.
	Reason     string
	Guardrails Guardrails
	// Events is what happened, the newest first.
	Events []Event
}

// Event is one change of a rollout.
type Event struct {
	ID     int64
	At     time.Time
	Action string
	// Share is the share after the event.
	Share int32
	// Author is empty if the guardrails caused the change.
	Author, Reason string
}

// Cause says who or what changes a rollout, when and why.
type Cause struct {
	At             time.Time
	Author, Reason string
}

// IsOpen reports whether the rollout may still change.
func (r *Rollout) IsOpen() bool { return r.State == Running || r.State == Halted }

// Start returns a new rollout at its first step.
func Start(id, stable, candidate, note string, g Guardrails, by Cause) (Rollout, Event) {
	r := Rollout{
		ID: id, State: Running, Stable: stable, Candidate: candidate, Share: rollout.NextStep(0),
		Started: by.At, StepStarted: by.At, Author: by.Author, Note: note, Guardrails: g,
	}
	return r, r.event(ActionStart, Cause{At: by.At, Author: by.Author, Reason: note})
}

// Advance returns the rollout at its next step. A halted rollout runs again. After the last
// step before all sessions, the rollout is completed: the candidate must become active.
func (r Rollout) Advance(by Cause) (Rollout, Event) {
	r.State, r.Reason, r.Share, r.StepStarted = Running, "", rollout.NextStep(r.Share), by.At
	if r.Share == rollout.Whole {
		r.State, r.Ended = Completed, by.At
		return r, r.event(ActionComplete, by)
	}
	return r, r.event(ActionAdvance, by)
}

// Halt returns the rollout with the same share, waiting for a person.
func (r Rollout) Halt(by Cause) (Rollout, Event) {
	r.State, r.Reason = Halted, by.Reason
	return r, r.event(ActionHalt, by)
}

// RollBack returns the rollout after its end, with all requests at the stable version.
func (r Rollout) RollBack(by Cause) (Rollout, Event) {
	r.State, r.Reason, r.Share, r.Ended = RolledBack, by.Reason, 0, by.At
	return r, r.event(ActionRollBack, by)
}

// Supersede returns the rollout after another version became active.
func (r Rollout) Supersede(by Cause) (Rollout, Event) {
	r.State, r.Reason, r.Share, r.Ended = Superseded, by.Reason, 0, by.At
	return r, r.event(ActionSupersede, by)
}

func (r *Rollout) event(action string, by Cause) Event {
	return Event{At: by.At, Action: action, Share: r.Share, Author: by.Author, Reason: by.Reason}
}
