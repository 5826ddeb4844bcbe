package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
)

// Drain stops new requests to a provider or a model.
type Drain struct {
	decide.Drain
	Reason, Author string
	Since          time.Time
}

// Drains is what is drained at one time. It never changes.
type Drains struct {
	// All is sorted by provider and model.
	All []Drain
	set *decide.DrainSet
}

// Includes reports whether a candidate is drained.
func (d *Drains) Includes(c decide.Candidate) bool { return d.set.Includes(c) }

func newDrains(all []Drain) *Drains {
	names := make([]decide.Drain, len(all))
	for i := range all {
		names[i] = all[i].Drain
	}
	return &Drains{All: all, set: decide.NewDrainSet(names)}
}

// DrainStore stores what is drained.
type DrainStore interface {
	// Drains returns what is drained, sorted by provider and model, and the number of the
	// last change.
	Drains(ctx context.Context) ([]Drain, int64, error)
	// LatestDrainChange returns a number that grows with every drain and resume by any
	// router.
	LatestDrainChange(ctx context.Context) (int64, error)
	// Drain stores a drain. It replaces an earlier one of the same provider and model.
	Drain(ctx context.Context, d Drain) error
	// Resume removes the drain of d's provider and model. It returns false if there is
	// none.
	Resume(ctx context.Context, d Drain) (bool, error)
}

// Drains returns what is drained.
func (e *Engine) Drains() *Drains {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.drains
}

// Drain stops new requests to a provider or a model of the policy. Errors: INVALID_REQUEST,
// NOT_FOUND if the policy does not have it, STORE_UNAVAILABLE.
func (e *Engine) Drain(ctx context.Context, d Drain) (Drain, error) {
	if err := checkDrain(d); err != nil {
		return Drain{}, err
	}
	if d.Reason == "" {
		return Drain{}, apperr.New(apperr.InvalidRequest, "give a reason: other operators see it").With("param", "reason")
	}
	if a, _ := e.Active(); !isInPolicy(a.Policy, d.Drain) && (a.Canary == nil || !isInPolicy(a.Canary.Policy, d.Drain)) {
		return Drain{}, apperr.New(apperr.NotFound, "the active policy has no such provider or model")
	}
	d.Since = now()
	e.changeMu.Lock()
	defer e.changeMu.Unlock()
	if err := e.store.Drain(ctx, d); err != nil {
		return Drain{}, storeUnavailable(err)
	}
	e.logDrain(ctx, "drained", d)
	_ = e.readDrains(ctx) // if it fails, the next poll reads them
	return d, nil
}

// Resume ends a drain. Errors: INVALID_REQUEST, NOT_FOUND if there is no such drain,
// STORE_UNAVAILABLE.
func (e *Engine) Resume(ctx context.Context, d Drain) error {
	if err := checkDrain(d); err != nil {
		return err
	}
	d.Since = now()
	e.changeMu.Lock()
	defer e.changeMu.Unlock()
	found, err := e.store.Resume(ctx, d)
	switch {
	case err != nil:
		return storeUnavailable(err)
	case !found:
		return apperr.New(apperr.NotFound, "it is not drained")
	}
	e.logDrain(ctx, "resumed", d)
	_ = e.readDrains(ctx) // if it fails, the next poll reads them
	return nil
}

func (e *Engine) logDrain(ctx context.Context, what string, d Drain) {
	e.log.InfoContext(ctx, what, "provider", d.Provider, "model", d.Model, "reason", d.Reason, "author", d.Author)
}

func checkDrain(d Drain) error {
	if d.Drain == (decide.Drain{}) {
		return apperr.New(apperr.InvalidRequest, "name a provider, a model, or both").With("param", "provider")
	}
	if len(d.Reason) > maxNoteBytes {
		return apperr.New(apperr.InvalidRequest, fmt.Sprintf("the reason is longer than %d bytes: shorten it", maxNoteBytes)).With("param", "reason")
	}
	return nil
}

func isInPolicy(p *policy.Policy, d decide.Drain) bool {
	if d.Model == "" {
		_, ok := p.Provider(d.Provider)
		return ok
	}
	m, ok := p.Model(d.Model)
	return ok && (d.Provider == "" || slices.ContainsFunc(m.Endpoints, func(at policy.Endpoint) bool { return at.Provider == d.Provider }))
}

// readDrains applies the drains of the store. The caller holds changeMu, or nothing else
// uses the engine yet.
func (e *Engine) readDrains(ctx context.Context) error {
	all, change, err := e.store.Drains(ctx)
	if err != nil {
		return storeUnavailable(err)
	}
	e.latestDrain = change
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(all) == 0 && len(e.drains.All) == 0 {
		return nil
	}
	close(e.changed)
	e.drains, e.changed = newDrains(all), make(chan struct{})
	return nil
}

// pollDrains applies what other routers have drained. If the store does not respond, the
// drains stay as they are, and the health check of the store reports it.
func (e *Engine) pollDrains(ctx context.Context) {
	if n, err := e.store.LatestDrainChange(ctx); err != nil || n == e.latestDrain {
		return
	}
	_ = e.readDrains(ctx) // the next poll tries again
}
