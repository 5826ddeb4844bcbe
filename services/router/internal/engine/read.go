package engine

import (
	"context"
	"fmt"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router/internal/policydiff"
)

// Versions lists at most limit stored versions, newest first, without their content. The
// error is STORE_UNAVAILABLE if the store does not respond.
func (e *Engine) Versions(ctx context.Context, limit int) ([]Version, error) {
	list, err := e.store.List(ctx, limit)
	if err != nil {
		return nil, storeUnavailable(err)
	}
	return list, nil
}

// Get returns a stored version by its name or by a unique prefix of the name. An
// empty name means the active version. Errors: NOT_FOUND, INVALID_REQUEST for an
// ambiguous prefix, STORE_UNAVAILABLE.
func (e *Engine) Get(ctx context.Context, name string) (Version, error) {
	if name == "" {
		return e.activeVersion(ctx)
	}
	found, err := e.store.FindByPrefix(ctx, name)
	switch {
	case err != nil:
		return Version{}, storeUnavailable(err)
	case len(found) == 0:
		return Version{}, apperr.New(apperr.NotFound, fmt.Sprintf("the policy version %q does not exist", name)).With("param", "version")
	case len(found) > 1:
		return Version{}, apperr.New(apperr.InvalidRequest, fmt.Sprintf("several policy versions start with %q: use a longer prefix", name)).With("param", "version")
	}
	return found[0], nil
}

func (e *Engine) activeVersion(ctx context.Context) (Version, error) {
	v, _, err := e.store.Active(ctx)
	if err != nil {
		return Version{}, storeUnavailable(err)
	}
	return v, nil
}

// Side is one of two policies to compare. If Document is set, the policy is that
// document. Otherwise the policy is the version with the name Version. If both are
// empty, the policy is the active version.
type Side struct{ Version, Document string }

// Comparison is the difference between two policies.
type Comparison struct {
	// From and To are the names of the two versions.
	From, To string
	// Changes lists the differences in meaning.
	Changes []policydiff.Change
	// Unified is the difference of the texts in the format of diff -u.
	Unified string
}

// Diff compares two policies. Errors: the errors of Get, and POLICY_INVALID for an
// invalid document.
func (e *Engine) Diff(ctx context.Context, from, to Side) (Comparison, error) {
	before, old, err := e.loadSide(ctx, from)
	if err != nil {
		return Comparison{}, err
	}
	after, now, err := e.loadSide(ctx, to)
	if err != nil {
		return Comparison{}, err
	}
	return Comparison{
		From: before.Version(), To: after.Version(),
		Changes: policydiff.Compare(before, after), Unified: policydiff.UnifiedDiff(old, now),
	}, nil
}

func (e *Engine) loadSide(ctx context.Context, s Side) (*policy.Policy, string, error) {
	if s.Document != "" {
		p, err := e.Validate(s.Document)
		return p, s.Document, err
	}
	v, err := e.Get(ctx, s.Version)
	if err != nil {
		return nil, "", err
	}
	p, err := e.loadPolicy(v)
	return p, v.Document, err
}
