package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/signalbox/signalbox/pkg/policy"
)

const (
	// followEvery is how soon a change is noticed.
	followEvery = time.Second
	// lookLimit bounds how long the store may keep a look, and with it who
	// publishes.
	lookLimit = 10 * time.Second
)

// Follow keeps to the operator's file, or where there is none to what another
// router has put in force in the same store, until ctx ends. What is faulty or
// away changes nothing: the policy in force stays, and Fault says why, unless
// it is only the store that is away.
func (e *Engine) Follow(ctx context.Context) error {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			e.Look(ctx)
		}
	}
}

// Look is one step of Follow. A file that has changed is taken up by the
// second look that finds it the same, so that one which is being written is not
// taken for whole.
func (e *Engine) Look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	e.turn.Lock()
	defer e.turn.Unlock()
	look := e.lookAtStore
	if e.file != nil {
		look = e.lookAtFile
	}
	if err := look(ctx); !errors.Is(err, context.Canceled) {
		e.tell(ctx, err)
	}
}

func (e *Engine) lookAtFile(ctx context.Context) error {
	document, err := e.file()
	if err != nil {
		return fmt.Errorf("policy file: %w", err)
	}
	sum := sha256.Sum256(document)
	before := e.seen
	e.seen = sum
	if sum == e.judged || sum != before {
		return e.verdict
	}
	stored, _, err := e.store.Active(ctx)
	if err != nil {
		return err
	}
	err = e.renew(ctx, stored, Version{Document: string(document), Origin: OriginFile})
	var problems policy.Problems
	if err == nil || errors.As(err, &problems) {
		e.judged, e.verdict = sum, err
	}
	if err == nil {
		e.announce(ctx, "the policy file has changed and is in force")
	}
	return err
}

// lookAtStore does not complain of a store that is away: who asks it for its
// health does, and what was in force before it went most likely still is.
func (e *Engine) lookAtStore(ctx context.Context) error {
	n, err := e.store.Latest(ctx)
	if err != nil || n == e.latest {
		return e.Fault()
	}
	stored, _, err := e.store.Active(ctx)
	if err != nil {
		return e.Fault()
	}
	if a, _ := e.Active(); a.Policy.Version() != stored.Name {
		// Another build's snapshot is not compiled again: the routers would
		// take turns at replacing it.
		p, err := decode(stored)
		if err != nil {
			return fmt.Errorf("stored policy %s: %w", stored.Name, err)
		}
		e.put(Active{Policy: p, Since: stored.Activated})
		e.announce(ctx, "another router has put a policy in force")
	}
	e.latest = n
	return nil
}

func (e *Engine) announce(ctx context.Context, what string) {
	a, _ := e.Active()
	e.log.InfoContext(ctx, what, "policy", a.Policy.Version(), "models", len(a.Policy.Models))
}

// tell keeps what is wrong, and logs it once.
func (e *Engine) tell(ctx context.Context, fault error) {
	e.mu.Lock()
	before := e.fault
	e.fault = fault
	e.mu.Unlock()
	switch {
	case fault != nil && (before == nil || before.Error() != fault.Error()):
		e.log.ErrorContext(ctx, "the policy cannot be renewed; the one in force stays", "error", fault)
	case fault == nil && before != nil:
		e.log.InfoContext(ctx, "the policy can be renewed again")
	}
}

// Fault is why the policy in force is not what file or store have now; nil when
// it is. Faults of the document are policy.Problems.
func (e *Engine) Fault() error {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.fault
}
