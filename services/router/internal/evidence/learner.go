package evidence

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Options holds the dependencies of a Learner.
type Options struct {
	Store Store
	// Base returns the version of the shipped predictions.
	Base func() string
	// Apply makes decisions use a table.
	Apply func(*Table)
	Log   *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// LearnsOnDemand makes Follow apply new versions without learning. Only Poll learns then.
	LearnsOnDemand bool
}

// Learner learns from outcomes. It is safe for concurrent use.
type Learner struct {
	Options
	// mu is held while the applied version changes.
	mu      sync.Mutex
	applied int64
	// forgetting is held while old outcomes are deleted. forgotten is when this was last done.
	forgetting sync.Mutex
	forgotten  time.Time
}

// New returns a learner. Nothing applies before Refresh.
func New(o Options) *Learner {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Learner{Options: o}
}

// MaxAge is the age of the oldest requests whose outcomes are stored. Outcomes are kept a
// little longer, so that one that is reported again is recognised.
const MaxAge = 30 * 24 * time.Hour

// Report stores outcomes. It returns how many are new. Outcomes of requests that are older
// than MaxAge must be left out. The error is STORE_UNAVAILABLE.
func (l *Learner) Report(ctx context.Context, all []Outcome) (int64, error) {
	if len(all) == 0 {
		return 0, nil
	}
	n, err := l.Store.AddOutcomes(ctx, all)
	if err != nil {
		return 0, storeUnavailable(err)
	}
	return n, nil
}

// stepSize is the number of outcomes of one step.
const stepSize = 5000

// Learn learns from the outcomes that no router has learned from. It reports whether there
// may be more.
func (l *Learner) Learn(ctx context.Context) (more bool, err error) {
	err = l.Store.Learn(ctx, stepSize, func(stored []byte, fresh []Outcome) (StepResult, error) {
		more = len(fresh) == stepSize
		return l.step(stored, fresh)
	})
	if err != nil {
		return false, fmt.Errorf("learn from outcomes: %w", err)
	}
	return more, nil
}

func (l *Learner) step(stored []byte, fresh []Outcome) (r StepResult, err error) {
	state, err := DecodeState(stored)
	if err != nil {
		return r, err
	}
	now := l.Now()
	changed, err := state.Learn(now, l.Base(), fresh)
	if err != nil {
		return r, err
	}
	if r.State, err = state.Encode(); err != nil || !changed {
		return r, err
	}
	r.New, err = newVersion(state.Current, now)
	return r, err
}

func newVersion(t *Table, now time.Time) (*Version, error) {
	body, err := t.Encode()
	// The store has a resolution of microseconds.
	return &Version{Name: t.Version(), Table: body, Created: now.UTC().Truncate(time.Microsecond)}, err
}

// Refresh applies the version that is selected in the store, which another router may have
// made or selected.
func (l *Learner) Refresh(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	selected, err := l.Store.Selected(ctx)
	if err != nil || selected.Number == l.applied {
		return err
	}
	table, err := l.load(ctx, selected.Version)
	if err != nil {
		return err
	}
	l.Apply(table)
	l.applied = selected.Number
	l.Log.InfoContext(ctx, "learned corrections apply", "version", table.Version(), "pinned", selected.Pinned)
	return nil
}

func (l *Learner) load(ctx context.Context, version string) (*Table, error) {
	if version == Shipped {
		return NewTable(), nil
	}
	v, ok, err := l.Store.Corrections(ctx, version)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("learned version %s is not stored", version)
	}
	return DecodeTable(v.Table)
}

func storeUnavailable(err error) error {
	return apperr.New(apperr.StoreUnavailable, "the store of the router does not respond: try again").WithCause(err)
}
