package engine

import (
	"context"
	"errors"
	"time"
)

// Where a version comes from.
const (
	OriginDefault  = "default"
	OriginFile     = "file"
	OriginPublish  = "publish"
	OriginRollback = "rollback"
)

// Version is one kept policy. It never changes; its name is the hash of what
// it compiles to. The same meaning written anew is the same version: its
// document is then the text under which it last came into force.
type Version struct {
	Name     string
	Document string
	Compiled []byte
	Origin   string
	Author   string
	// Note is what the author said about it.
	Note    string
	Created time.Time
	// Active is whether it is the one in force.
	Active bool
	// Activated is when it last came into force.
	Activated time.Time
}

// ErrMoved is that another version came into force meanwhile.
var ErrMoved = errors.New("another version is in force by now")

// Store keeps versions and the history of which was in force.
type Store interface {
	// Latest grows with every activation, by whatever router; 0 is before the
	// first.
	Latest(ctx context.Context) (int64, error)
	// Active returns the version in force with the origin, author and note
	// under which it came into force, or false when there never was one.
	Active(ctx context.Context) (Version, bool, error)
	// Activate keeps a version, unless it is kept already, and puts it in
	// force as of v.Activated, in one step. It is ErrMoved, and nothing
	// happens, unless the version named over is in force or over is empty.
	Activate(ctx context.Context, v Version, over string) error
	// Named returns at most two versions whose names begin so, with their
	// first origin, author and note.
	Named(ctx context.Context, begin string) ([]Version, error)
	// List returns the newest versions first, without document and compiled.
	List(ctx context.Context, limit int) ([]Version, error)
}
