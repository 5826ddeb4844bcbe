package engine

import (
	"context"
	"errors"
	"time"
)

// The origins of a version: how it became active.
const (
	OriginDefault  = "default"
	OriginFile     = "file"
	OriginPublish  = "publish"
	OriginRollback = "rollback"
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
	// Activated is when the version was last activated.
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
	// v.Activated, in one transaction. If expected is set and another version is
	// active, Activate returns ErrConflict and changes nothing.
	Activate(ctx context.Context, v Version, expected string) error
	// FindByPrefix returns at most two versions whose names start with prefix. They have
	// the origin, author and note of their first activation.
	FindByPrefix(ctx context.Context, prefix string) ([]Version, error)
	// List returns versions, newest first, without Document and Compiled.
	List(ctx context.Context, limit int) ([]Version, error)
}
