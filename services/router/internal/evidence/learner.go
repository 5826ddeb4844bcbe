package evidence

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Version is a stored table of corrections.
type Version struct {
	Name    string
	Table   []byte
	Created time.Time
}

// Selection is the version that applies.
type Selection struct {
	// Number grows with every selection by any router. It is 0 before the first one.
	Number int64
	// Version is Shipped if no corrections apply.
	Version string
	// Pinned says that newer versions do not replace the version.
	Pinned bool
}

// Store stores outcomes, the state of the learner and the versions. All routers share it.
type Store interface {
	// AddOutcomes stores the outcomes whose ids are new, and returns their number.
	AddOutcomes(ctx context.Context, all []Outcome) (int64, error)
	// Learn calls step with the stored state and at most limit outcomes that no step has
	// seen, and stores the results, all in one transaction. Steps of several routers run
	// one after the other. Without new outcomes, it calls step with none.
	Learn(ctx context.Context, limit int, step func(state []byte, fresh []Outcome) (StepResult, error)) error
	// Forget deletes outcomes that were received before a time. Learn has seen them.
	Forget(ctx context.Context, before time.Time) error
	// Selected returns the version that applies.
	Selected(ctx context.Context) (Selection, error)
	// Pin makes a version apply until another one is pinned or a step unpins it.
	Pin(ctx context.Context, version, author string) error
	// Corrections returns a version. It returns false if it is not stored.
	Corrections(ctx context.Context, version string) (Version, bool, error)
	// ListCorrections returns versions, newest first.
	ListCorrections(ctx context.Context, limit int) ([]Version, error)
}

// StepResult is what a step of Learn stores.
type StepResult struct {
	State []byte
	// New is nil if the corrections are the same as before. It applies unless another
	// version is pinned.
	New *Version
	// Unpin makes New apply in any case.
	Unpin bool
}

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
}

// Learner learns from outcomes. It is safe for concurrent use.
type Learner struct {
	Options
	// mu is held while the applied version changes.
	mu      sync.Mutex
	applied int64
	// forgotten is when outcomes were last deleted.
	forgotten time.Time
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

func storeUnavailable(err error) error {
	return apperr.New(apperr.StoreUnavailable, "the store of the router does not respond: try again").WithCause(err)
}
