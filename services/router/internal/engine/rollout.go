package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router/internal/rollouts"
)

// RolloutDraft is a candidate version to roll out: a document, or a stored version.
type RolloutDraft struct {
	Draft
	Version    string
	Guardrails rollouts.Guardrails
}

// StartRollout begins to replace the active version in steps. Errors: those of Publish,
// NOT_FOUND, and POLICY_CONFLICT if a rollout is open.
func (e *Engine) StartRollout(ctx context.Context, d RolloutDraft) (rollouts.Rollout, error) {
	if err := e.checkWritable(d.Note); err != nil {
		return rollouts.Rollout{}, err
	}
	limits, err := d.Guardrails.Complete()
	if err != nil {
		return rollouts.Rollout{}, toGuardrailError(err)
	}
	e.changeMu.Lock()
	defer e.changeMu.Unlock()
	candidate, p, err := e.loadCandidate(ctx, d)
	if err != nil {
		return rollouts.Rollout{}, err
	}
	active, err := e.activeVersion(ctx)
	switch {
	case err != nil:
		return rollouts.Rollout{}, err
	case active.Name == p.Version():
		return rollouts.Rollout{}, apperr.New(apperr.InvalidRequest, "this version is already active: there is nothing to roll out").With("param", "document")
	case d.ExpectedVersion != "" && d.ExpectedVersion != active.Name:
		return rollouts.Rollout{}, toActivateError(ErrConflict)
	}
	r, event := rollouts.Start(uuid.Must(uuid.NewV7()).String(), active.Name, candidate.Name, d.Note, limits, newCause(d.Author, ""))
	if err := e.store.StartRollout(ctx, r, event, candidate); err != nil {
		return rollouts.Rollout{}, toRolloutError(err)
	}
	return e.refreshRollout(ctx, r.ID)
}

func toGuardrailError(err error) error {
	var field *rollouts.FieldError
	if errors.As(err, &field) {
		return apperr.New(apperr.InvalidRequest, field.Text).With("param", "guardrails."+field.Name)
	}
	return err
}

// loadCandidate returns the version of a draft and its compiled policy.
func (e *Engine) loadCandidate(ctx context.Context, d RolloutDraft) (Version, *policy.Policy, error) {
	if (d.Document == "") == (d.Version == "") {
		return Version{}, nil, apperr.New(apperr.InvalidRequest, "specify either a document or a version to roll out").With("param", "document")
	}
	if d.Version != "" {
		return e.loadStoredCandidate(ctx, d.Version)
	}
	p, err := e.Validate(d.Document)
	if err != nil {
		return Version{}, nil, err
	}
	if err := e.checkTests(d.Document, p); err != nil {
		return Version{}, nil, err
	}
	v := Version{Name: p.Version(), Document: d.Document, Compiled: p.Canonical(), Origin: OriginRollout, Author: d.Author, Note: d.Note, Created: now()}
	return v, p, nil
}

func (e *Engine) loadStoredCandidate(ctx context.Context, name string) (Version, *policy.Policy, error) {
	v, err := e.Get(ctx, name)
	if err != nil {
		return Version{}, nil, err
	}
	p, err := e.loadPolicy(v)
	if err != nil {
		return Version{}, nil, err
	}
	p, err = e.restrictSecrets(ctx, v, p)
	if err != nil {
		return Version{}, nil, err
	}
	v.Name, v.Compiled = p.Version(), p.Canonical()
	return v, p, nil
}

// RolloutChange is what happens to the open rollout.
type RolloutChange struct {
	// ID and Revision are those that the caller knows; empty and 0 skip the check.
	ID       string
	Revision int64
	// Action is ActionAdvance, ActionHalt or ActionRollBack of package rollouts.
	Action         string
	Author, Reason string
}

// ChangeRollout changes the open rollout. Of several callers with the same revision, one
// succeeds. Errors: NOT_FOUND if no rollout is open, POLICY_CONFLICT, STORE_UNAVAILABLE,
// INVALID_REQUEST.
func (e *Engine) ChangeRollout(ctx context.Context, c RolloutChange) (rollouts.Rollout, error) {
	if err := e.checkWritable(c.Reason); err != nil {
		return rollouts.Rollout{}, err
	}
	e.changeMu.Lock()
	defer e.changeMu.Unlock()
	r, ok, err := e.store.OpenRollout(ctx)
	switch {
	case err != nil:
		return rollouts.Rollout{}, storeUnavailable(err)
	case !ok:
		return rollouts.Rollout{}, apperr.New(apperr.NotFound, "no rollout is open")
	case c.ID != "" && c.ID != r.ID, c.Revision != 0 && c.Revision != r.Revision:
		return rollouts.Rollout{}, toRolloutError(rollouts.ErrChanged)
	}
	next, event, err := applyAction(r, c)
	if err != nil {
		return rollouts.Rollout{}, err
	}
	if err := e.saveRollout(ctx, next, event); err != nil {
		return rollouts.Rollout{}, err
	}
	return e.refreshRollout(ctx, next.ID)
}

func applyAction(r rollouts.Rollout, c RolloutChange) (rollouts.Rollout, rollouts.Event, error) {
	by := newCause(c.Author, c.Reason)
	switch c.Action {
	case rollouts.ActionAdvance:
		next, event := r.Advance(by)
		return next, event, nil
	case rollouts.ActionHalt:
		next, event := r.Halt(by)
		return next, event, nil
	case rollouts.ActionRollBack:
		next, event := r.RollBack(by)
		return next, event, nil
	}
	return r, rollouts.Event{}, apperr.New(apperr.InvalidRequest, "the action must be advance, halt or roll_back").With("param", "action")
}

// saveRollout stores a changed rollout. A completed rollout activates its candidate.
func (e *Engine) saveRollout(ctx context.Context, r rollouts.Rollout, event rollouts.Event) error {
	if r.State != rollouts.Completed {
		return toRolloutError(e.store.ChangeRollout(ctx, r, event, Version{}))
	}
	v, err := e.Get(ctx, r.Candidate)
	if err != nil {
		return err
	}
	p, err := decodeVersion(v)
	if err != nil {
		return fmt.Errorf("load candidate %s: %w", r.Candidate, err)
	}
	v.Origin, v.Author, v.Note, v.Activated = OriginRollout, event.Author, r.Note, event.At
	if err := e.store.ChangeRollout(ctx, r, event, v); err != nil {
		return toRolloutError(err)
	}
	e.setActive(Active{Policy: p, Since: event.At})
	return nil
}

// Rollouts returns at most limit rollouts with their events, the newest first.
func (e *Engine) Rollouts(ctx context.Context, limit int) ([]rollouts.Rollout, error) {
	all, err := e.store.Rollouts(ctx, limit)
	if err != nil {
		return nil, storeUnavailable(err)
	}
	return all, nil
}

func toRolloutError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, rollouts.ErrOpen):
		return apperr.New(apperr.PolicyConflict, "another rollout is open: complete it or roll it back first").WithCause(err)
	case errors.Is(err, rollouts.ErrChanged):
		return apperr.New(apperr.PolicyConflict, "the rollout has changed meanwhile: look at its state, then try again").WithCause(err)
	}
	return toActivateError(err)
}

func newCause(author, reason string) rollouts.Cause {
	return rollouts.Cause{At: now(), Author: author, Reason: reason}
}

// now returns the time with the resolution of the store, so that it is the same after a
// restart.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }
