package engine

import (
	"context"
	"errors"
	"time"
)

// Origins of a version.
const (
	OriginDefault  = "default"
	OriginFile     = "file"
	OriginPublish  = "publish"
	OriginRollback = "rollback"
)

// Version is one stored policy. It never changes; its name is the hash of its
// compiled form. A document with the same meaning is the same version. Document is
// then the text with which the version was last activated.
type Version struct {
	Name     string
	Document string
	Compiled []byte
	Origin   string
	Author   string
	// Note is the author's comment.
	Note    string
	Created time.Time
	// Active reports whether it is the active version.
	Active bool
	// Activated is when it was last activated.
	Activated time.Time
}

// ErrConflict means that another version was activated meanwhile.
var ErrConflict = errors.New("another version is active")

// Store stores versions and the history of activations.
type Store interface {
	// LatestActivation grows with every activation by any router. It is 0 before
	// the first.
	LatestActivation(ctx context.Context) (int64, error)
	// Active returns the active version with the origin, author and note of its
	// last activation, or false if there has never been one.
	Active(ctx context.Context) (Version, bool, error)
	// Activate stores a version, unless it exists, and makes it active as of
	// v.Activated, in one transaction. If expected is set and another version is
	// active, it returns ErrConflict and changes nothing.
	Activate(ctx context.Context, v Version, expected string) error
	// FindByPrefix returns at most two versions whose names begin with prefix,
	// with their first origin, author and note.
	FindByPrefix(ctx context.Context, prefix string) ([]Version, error)
	// List returns versions, newest first, without Document and Compiled.
	List(ctx context.Context, limit int) ([]Version, error)
}
