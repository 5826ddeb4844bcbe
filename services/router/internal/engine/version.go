package engine

import (
	"context"
	"errors"
	"time"

	"github.com/signalbox/signalbox/services/router/internal/rollouts"
)

// The origins of a version: how it became active.
const (
	OriginDefault  = "default"
	OriginFile     = "file"
	OriginPublish  = "publish"
	OriginRollback = "rollback"
	OriginRollout  = "rollout"
)

// Version is one stored policy. Its name is the hash of its compiled form, which never
// changes. Documents with the same meaning have the same version. Document is then the
// text that was activated last.
type Version struct {
	Name     string
	Document string
	Compiled []byte
	Origin   string
	Author   string
	// Note is the author's comment.
	Note    string
	Created time.Time
	Active  bool
	// Activated is when the version was last activated. It is zero if the version has only
	// been the candidate of a rollout.
	Activated time.Time
}

// ErrConflict means that the active version is not the version that the caller expected.
var ErrConflict = errors.New("another version is active")

// Store stores versions and the history of activations.
type Store interface {
	// LatestActivation returns a number that grows with every activation by any
	// router. The number is 0 before the first activation.
	LatestActivation(ctx context.Context) (int64, error)
	// Active returns the active version with the origin, author and note of its
	// last activation. It returns false if no version has ever been active.
	Active(ctx context.Context) (Version, bool, error)
	// Activate stores the version if it is new and makes it active from
	// v.Activated, in one transaction. It ends an open rollout. If expected is set and
	// another version is active, Activate returns ErrConflict and changes nothing.
	Activate(ctx context.Context, v Version, expected string) error
	// FindByPrefix returns at most two versions whose names start with prefix. They have
	// the origin, author and note of their first activation.
	FindByPrefix(ctx context.Context, prefix string) ([]Version, error)
	// List returns versions, newest first, without Document and Compiled.
	List(ctx context.Context, limit int) ([]Version, error)
	RolloutStore
	DrainStore
}

// RolloutStore stores rollouts. At most one is open.
type RolloutStore interface {
	// OpenRollout returns the open rollout without its events. It returns false if there
	// is none.
	OpenRollout(ctx context.Context) (rollouts.Rollout, bool, error)
	// Rollouts returns rollouts with their events, the newest first.
	Rollouts(ctx context.Context, limit int) ([]rollouts.Rollout, error)
	// StartRollout stores a rollout and, if it is new, the candidate version. Errors:
	// rollouts.ErrOpen, and ErrConflict if the stable version is not active.
	StartRollout(ctx context.Context, r rollouts.Rollout, e rollouts.Event, candidate Version) error
	// ChangeRollout stores a changed rollout and its event, in one transaction. If the
	// rollout is completed, it also activates v. If the stored rollout has another
	// revision or has ended, ChangeRollout returns rollouts.ErrChanged.
	ChangeRollout(ctx context.Context, r rollouts.Rollout, e rollouts.Event, v Version) error
}
