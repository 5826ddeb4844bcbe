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
	// pollInterval is the time between two checks of the file or the store for changes.
	pollInterval = time.Second
	// pollTimeout limits a poll, because a publish waits until the poll is done.
	pollTimeout = 10 * time.Second
)

// Follow applies changes of the operator's file until ctx ends. Without a file, it
// applies what other routers activate in the same store. If the new policy is invalid or
// cannot be read, the active policy stays active. RefreshError then returns the reason.
// Without a file, RefreshError does not report an unavailable store.
func (e *Engine) Follow(ctx context.Context) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			e.Poll(ctx)
		}
	}
}

// Poll is one step of Follow. It applies a changed file only when two polls read the same
// content. Otherwise it could apply a file that is still being written.
func (e *Engine) Poll(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	e.changeMu.Lock()
	defer e.changeMu.Unlock()
	poll := e.pollStore
	if e.readFile != nil {
		poll = e.pollFile
	}
	if err := poll(ctx); !errors.Is(err, context.Canceled) {
		e.setRefreshError(ctx, err)
	}
	if e.readFile == nil {
		e.pollCanary(ctx)
	}
	e.pollDrains(ctx)
}

func (e *Engine) pollFile(ctx context.Context) error {
	document, err := e.readFile(ctx)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(document)
	before := e.seenHash
	e.seenHash = sum
	if sum == e.checkedHash || sum != before {
		return e.checkedErr
	}
	stored, _, err := e.store.Active(ctx)
	if err != nil {
		return err
	}
	err = e.applyDocument(ctx, stored, Version{Document: string(document), Origin: OriginFile})
	var problems policy.Problems
	if err == nil || errors.As(err, &problems) {
		e.checkedHash, e.checkedErr = sum, err
	}
	if err == nil {
		e.logActive(ctx, "policy file changed, new policy active")
	}
	return err
}

// pollStore does not report an unavailable store, because the health check of the store
// reports it. Most likely the active policy has not changed meanwhile.
func (e *Engine) pollStore(ctx context.Context) error {
	n, err := e.store.LatestActivation(ctx)
	if err != nil || n == e.latestActivation {
		return e.RefreshError()
	}
	stored, _, err := e.store.Active(ctx)
	if err != nil {
		return e.RefreshError()
	}
	a, _ := e.Active()
	if a.Policy.Version() != stored.Name {
		// If another build compiled the document, do not compile it again. Otherwise
		// routers of different builds would replace each other's version in turns.
		a.Since, a.Canary = stored.Activated, nil
		if a.Policy, err = decodeVersion(stored); err != nil {
			return fmt.Errorf("load stored policy %s: %w", stored.Name, err)
		}
		e.setActive(a)
		e.logActive(ctx, "another router activated a policy")
	}
	fault, err := e.checkSecrets(ctx, stored, a.Policy)
	if err != nil {
		return e.RefreshError()
	}
	e.latestActivation = n // the next poll checks only a newer activation
	return fault
}

func (e *Engine) logActive(ctx context.Context, what string) {
	a, _ := e.Active()
	e.log.InfoContext(ctx, what, "policy", a.Policy.Version(), "models", len(a.Policy.Models))
}

// setRefreshError stores the result of RefreshError and logs when it changes.
func (e *Engine) setRefreshError(ctx context.Context, err error) {
	e.mu.Lock()
	before := e.refreshErr
	e.refreshErr = err
	e.mu.Unlock()
	switch {
	case err != nil && (before == nil || before.Error() != err.Error()):
		e.log.ErrorContext(ctx, "cannot refresh the policy, the active policy stays active", "error", err)
	case err == nil && before != nil:
		e.log.InfoContext(ctx, "policy refresh works again")
	}
}

// RefreshError returns why the newest policy of the file or the store is not active.
// It returns nil if no problem is known. Problems of the document have the type
// policy.Problems.
func (e *Engine) RefreshError() error {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.refreshErr
}
