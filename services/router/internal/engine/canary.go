package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router/internal/rollouts"
)

// Canary is the open rollout with its compiled candidate.
type Canary struct {
	rollouts.Rollout
	Policy *policy.Policy
}

// policyOf returns the policy of a version that a proxy chose: the candidate of the rollout,
// or the active policy in place of any other.
func (a Active) policyOf(version string) *policy.Policy {
	if a.Canary != nil && version == a.Canary.Candidate {
		return a.Canary.Policy
	}
	return a.Policy
}

// pollRollout applies what any router has stored about the open rollout. If the store does
// not respond, the rollout stays as it is.
func (e *Engine) pollRollout(ctx context.Context) error {
	r, ok, err := e.store.OpenRollout(ctx)
	if err != nil {
		return storeUnavailable(err)
	}
	a, _ := e.Active()
	switch {
	case !ok || r.Stable != a.Policy.Version():
		e.setCanary(nil)
		return nil
	case a.Canary != nil && a.Canary.ID == r.ID && a.Canary.Revision == r.Revision:
		return nil
	case a.Canary != nil && a.Canary.ID == r.ID:
		e.setCanary(&Canary{Rollout: r, Policy: a.Canary.Policy})
		return nil
	}
	p, err := e.decodeCandidate(ctx, r.Candidate)
	if err != nil {
		// This build may be too old for the candidate. Its proxies serve the stable version.
		e.setCanary(nil)
		return err
	}
	e.setCanary(&Canary{Rollout: r, Policy: p})
	return nil
}

func (e *Engine) decodeCandidate(ctx context.Context, name string) (*policy.Policy, error) {
	v, err := e.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	p, err := decodeVersion(v)
	if err != nil {
		return nil, fmt.Errorf("load the candidate %s of a rollout: %w", name, err)
	}
	return p, nil
}

// refreshRollout applies the open rollout and returns the stored rollout with this id.
func (e *Engine) refreshRollout(ctx context.Context, id string) (rollouts.Rollout, error) {
	if err := e.pollRollout(ctx); err != nil {
		e.log.ErrorContext(ctx, "cannot apply the rollout yet", "error", err)
	}
	all, err := e.Rollouts(ctx, maxRefreshed)
	if err != nil {
		return rollouts.Rollout{}, err
	}
	for _, r := range all {
		if r.ID == id {
			return r, nil
		}
	}
	return rollouts.Rollout{}, apperr.New(apperr.NotFound, "the rollout does not exist")
}

// maxRefreshed is how many of the newest rollouts are searched for one that has just changed.
const maxRefreshed = 5

// setCanary changes the rollout and closes the channel that Active returned.
func (e *Engine) setCanary(c *Canary) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c == nil && e.active.Canary == nil {
		return
	}
	close(e.changed)
	e.active.Canary, e.changed = c, make(chan struct{})
	e.health.setCandidates(candidatesOf(e.active), e.active.Policy.Defaults.Breaker)
}

// pollCanary is pollRollout for Poll. It logs an error once. The stable version then serves
// all requests.
func (e *Engine) pollCanary(ctx context.Context) {
	err := e.pollRollout(ctx)
	if apperr.Is(err, apperr.StoreUnavailable) || errors.Is(err, context.Canceled) {
		return // the health check of the store reports it
	}
	if err != nil && (e.canaryErr == nil || e.canaryErr.Error() != err.Error()) {
		e.log.ErrorContext(ctx, "cannot take part in the rollout", "error", err)
	}
	e.canaryErr = err
}
