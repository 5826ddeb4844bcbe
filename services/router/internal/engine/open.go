package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// Where a version comes from.
const (
	OriginDefault = "default"
	OriginFile    = "file"
	OriginPublish = "publish"
)

// Version is one kept policy. It never changes; its name is the hash of what
// it compiles to.
type Version struct {
	Name     string
	Document string
	Compiled []byte
	Origin   string
	Author   string
	Created  time.Time
	// Active is whether it is the one in force.
	Active bool
	// Activated is when it last came into force; only the active one tells.
	Activated time.Time
}

// Store keeps versions and the history of which was in force.
type Store interface {
	// Active returns the version in force with the origin under which it came
	// into force, or false when there never was one.
	Active(ctx context.Context) (Version, bool, error)
	// Activate keeps a version, unless it is kept already, and puts it in
	// force as of v.Activated, in one step.
	Activate(ctx context.Context, v Version) error
	// List returns the newest versions first.
	List(ctx context.Context, limit int) ([]Version, error)
}

// Start is what an engine begins with.
type Start struct {
	Store   Store
	Catalog *catalog.Catalog
	Log     *slog.Logger
	// Document is the operator's file; nil when there is none.
	Document []byte
	// Present tells whether a variable is set in the environment.
	Present func(env string) bool
}

// Open puts the right policy in force: the operator's file if there is one,
// else what was last in force, else the default, which follows the environment
// for as long as nobody replaced it. A faulty file is an error, and is
// policy.Problems.
func Open(ctx context.Context, s Start) (*Engine, error) {
	e := &Engine{store: s.Store, cat: s.Catalog, health: newHealth()}
	stored, ok, err := s.Store.Active(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the active policy: %w", err)
	}
	switch {
	case s.Document != nil:
		err = e.renew(ctx, stored, s.Document, OriginFile)
	case !ok || stored.Origin == OriginDefault:
		err = e.renew(ctx, stored, policy.Default(s.Present, s.Catalog, time.Now()), OriginDefault)
	default:
		err = e.resume(stored)
	}
	if err != nil {
		return nil, err
	}
	a, _ := e.Active()
	s.Log.Info("policy in force", "policy", a.Policy.Version(), "models", len(a.Policy.Models), "since", a.Since)
	return e, nil
}

// renew puts a document in force, and stores it unless it already is.
func (e *Engine) renew(ctx context.Context, stored Version, document []byte, origin string) error {
	p, err := policy.Compile(document, e.cat)
	if err != nil {
		return err
	}
	if stored.Name == p.Version() && stored.Origin == origin {
		e.put(Active{Policy: p, Since: stored.Activated})
		return nil
	}
	// The store keeps microseconds; the same instant must be shown before and
	// after a restart.
	now := time.Now().UTC().Truncate(time.Microsecond)
	v := Version{Name: p.Version(), Document: string(document), Compiled: p.Canonical(), Origin: origin, Created: now, Activated: now}
	if err := e.store.Activate(ctx, v); err != nil {
		return fmt.Errorf("store the policy: %w", err)
	}
	e.put(Active{Policy: p, Since: now})
	return nil
}

// resume puts a stored version in force as it was compiled. Only if this build
// cannot read that any more is its document compiled again.
func (e *Engine) resume(v Version) error {
	p, err := policy.Decode(v.Compiled)
	if err == nil && p.Version() != v.Name {
		err = errors.New("its content does not have its name")
	}
	if err != nil {
		again, problems := policy.Compile([]byte(v.Document), e.cat)
		if problems != nil {
			return fmt.Errorf("stored policy %s: %w", v.Name, errors.Join(err, problems))
		}
		p = again
	}
	e.put(Active{Policy: p, Since: v.Activated})
	return nil
}
