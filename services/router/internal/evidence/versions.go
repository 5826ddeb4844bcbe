package evidence

import (
	"context"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Versions returns the newest versions and the one that applies. The error is
// STORE_UNAVAILABLE.
func (l *Learner) Versions(ctx context.Context, limit int) ([]Version, Selection, error) {
	selected, err := l.Store.Selected(ctx)
	if err != nil {
		return nil, selected, storeUnavailable(err)
	}
	all, err := l.Store.ListCorrections(ctx, limit)
	if err != nil {
		return nil, selected, storeUnavailable(err)
	}
	return all, selected, nil
}

// Use makes a version apply until Use is called again. Shipped stands for the shipped
// weights. An empty version lets the newest one apply, and every newer one after it. The
// learner goes on learning meanwhile. Errors: NOT_FOUND, STORE_UNAVAILABLE.
func (l *Learner) Use(ctx context.Context, version, author string) (Selection, error) {
	if version != "" && version != Shipped {
		_, ok, err := l.Store.Corrections(ctx, version)
		if err != nil {
			return Selection{}, storeUnavailable(err)
		}
		if !ok {
			return Selection{}, apperr.New(apperr.NotFound, "no learned version has this name").With("version", version)
		}
	}
	err := l.pin(ctx, version, author)
	if err == nil {
		err = l.Refresh(ctx)
	}
	if err != nil {
		return Selection{}, storeUnavailable(err)
	}
	selected, err := l.Store.Selected(ctx)
	if err != nil {
		return Selection{}, storeUnavailable(err)
	}
	return selected, nil
}

func (l *Learner) pin(ctx context.Context, version, author string) error {
	if version != "" {
		return l.Store.Pin(ctx, version, author)
	}
	return l.Store.Learn(ctx, 0, func(stored []byte, _ []Outcome) (StepResult, error) {
		state, err := DecodeState(stored)
		if err != nil {
			return StepResult{}, err
		}
		newest, err := newVersion(state.Current, l.Now())
		return StepResult{State: stored, New: newest, Unpin: true}, err
	})
}
