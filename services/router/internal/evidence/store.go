package evidence

import (
	"context"
	"time"
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
