package engine

import (
	"context"
	"fmt"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router/internal/changes"
)

// Versions lists the kept versions, the newest first, without what is in them.
// STORE_UNAVAILABLE when the store does not answer.
func (e *Engine) Versions(ctx context.Context, limit int) ([]Version, error) {
	list, err := e.store.List(ctx, limit)
	if err != nil {
		return nil, away(err)
	}
	return list, nil
}

// Get finds a kept version by its name or the beginning of it; "" is the one in
// force. Errors: NOT_FOUND, INVALID_REQUEST when several could be meant,
// STORE_UNAVAILABLE.
func (e *Engine) Get(ctx context.Context, name string) (Version, error) {
	if name == "" {
		return e.stored(ctx)
	}
	found, err := e.store.Named(ctx, name)
	switch {
	case err != nil:
		return Version{}, away(err)
	case len(found) == 0:
		return Version{}, apperr.New(apperr.NotFound, fmt.Sprintf("there is no version %q", name)).With("param", "version")
	case len(found) > 1:
		return Version{}, apperr.New(apperr.InvalidRequest, fmt.Sprintf("several versions begin with %q", name)).With("param", "version")
	}
	return found[0], nil
}

// stored is the version in force as the store has it.
func (e *Engine) stored(ctx context.Context) (Version, error) {
	v, _, err := e.store.Active(ctx)
	if err != nil {
		return Version{}, away(err)
	}
	return v, nil
}

// Side is one of two policies that are compared: a kept version by its name, a
// document if there is one, else the version in force.
type Side struct{ Version, Document string }

// Comparison is how two policies differ.
type Comparison struct {
	From, To string
	// Changes are the differences of meaning.
	Changes []changes.Change
	// Unified are those of the texts.
	Unified string
}

// Diff compares two policies. Errors: those of Get, and POLICY_INVALID for a
// document.
func (e *Engine) Diff(ctx context.Context, from, to Side) (Comparison, error) {
	before, old, err := e.side(ctx, from)
	if err != nil {
		return Comparison{}, err
	}
	after, now, err := e.side(ctx, to)
	if err != nil {
		return Comparison{}, err
	}
	return Comparison{
		From: before.Version(), To: after.Version(),
		Changes: changes.Of(before, after), Unified: changes.Unified(old, now),
	}, nil
}

func (e *Engine) side(ctx context.Context, s Side) (*policy.Policy, string, error) {
	if s.Document != "" {
		p, err := e.Validate(s.Document)
		return p, s.Document, err
	}
	v, err := e.Get(ctx, s.Version)
	if err != nil {
		return nil, "", err
	}
	p, err := e.readable(v)
	return p, v.Document, err
}
