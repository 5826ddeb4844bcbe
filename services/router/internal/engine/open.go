package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router/internal/reading"
	"github.com/signalbox/signalbox/services/router/internal/trial"
)

// Start is what an engine begins with.
type Start struct {
	Store   Store
	Catalog *catalog.Catalog
	Log     *slog.Logger
	// File reads the operator's file; nil when there is none.
	File func() ([]byte, error)
	// Present tells whether a variable is set in the environment.
	Present func(env string) bool
	// Tests runs the tests of a document that compiles; nil is for none.
	Tests func(document []byte, p *policy.Policy) trial.Result
}

// Open puts the right policy in force: the operator's file if there is one,
// else what was last in force, else the default, which follows the environment
// for as long as nobody replaced it. A faulty file, or one whose tests fail, is
// an error, and is policy.Problems.
func Open(ctx context.Context, s Start) (*Engine, error) {
	e := &Engine{store: s.Store, cat: s.Catalog, health: newHealth(), reading: reading.New(s.Catalog), log: s.Log, file: s.File, tests: s.Tests}
	stored, ok, err := s.Store.Active(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the active policy: %w", err)
	}
	switch {
	case s.File != nil:
		err = e.openFile(ctx, stored)
	case !ok || stored.Origin == OriginDefault:
		err = e.renew(ctx, stored, Version{Document: string(policy.Default(s.Present, s.Catalog, time.Now())), Origin: OriginDefault})
	default:
		err = e.resume(ctx, stored)
	}
	if err != nil {
		return nil, err
	}
	a, _ := e.Active()
	s.Log.Info("policy in force", "policy", a.Policy.Version(), "models", len(a.Policy.Models), "since", a.Since)
	return e, nil
}

func (e *Engine) openFile(ctx context.Context, stored Version) error {
	document, err := e.file()
	if err != nil {
		return fmt.Errorf("policy file: %w", err)
	}
	e.judged = sha256.Sum256(document)
	return e.renew(ctx, stored, Version{Document: string(document), Origin: OriginFile})
}

// renew puts a document in force, and stores it unless it already is. What
// does not compile, or fails its own tests, is policy.Problems.
func (e *Engine) renew(ctx context.Context, stored, v Version) error {
	p, err := policy.Compile([]byte(v.Document), e.cat)
	if err != nil {
		return err
	}
	if failed := e.test(v.Document, p).Failed; len(failed) > 0 {
		return failed
	}
	if stored.Name == p.Version() && stored.Origin == v.Origin && stored.Document == v.Document {
		e.put(Active{Policy: p, Since: stored.Activated})
		return nil
	}
	_, err = e.activate(ctx, v, p, "")
	return err
}

func (e *Engine) test(document string, p *policy.Policy) trial.Result {
	if e.tests == nil {
		return trial.Result{}
	}
	return e.tests([]byte(document), p)
}

// activate stores a version, which p is, and puts it in force, if over still
// is or is empty.
func (e *Engine) activate(ctx context.Context, v Version, p *policy.Policy, over string) (Version, error) {
	// The store keeps microseconds; the same instant must be shown before and
	// after a restart.
	now := time.Now().UTC().Truncate(time.Microsecond)
	v.Name, v.Compiled, v.Created, v.Activated, v.Active = p.Version(), p.Canonical(), now, now, true
	if err := e.store.Activate(ctx, v, over); err != nil {
		return Version{}, fmt.Errorf("store the policy: %w", err)
	}
	e.put(Active{Policy: p, Since: now})
	return v, nil
}

// resume puts a stored version in force as it was compiled. Only if this build
// cannot read that any more is its document compiled again, and kept as what
// it is then.
func (e *Engine) resume(ctx context.Context, v Version) error {
	p, err := decode(v)
	if err == nil {
		e.put(Active{Policy: p, Since: v.Activated})
		return nil
	}
	again, problems := policy.Compile([]byte(v.Document), e.cat)
	if problems != nil {
		return fmt.Errorf("stored policy %s: %w", v.Name, errors.Join(err, problems))
	}
	_, err = e.activate(ctx, v, again, "")
	return err
}

// decode reads a stored version as it was compiled.
func decode(v Version) (*policy.Policy, error) {
	p, err := policy.Decode(v.Compiled)
	if err == nil && p.Version() != v.Name {
		err = errors.New("its content does not have its name")
	}
	return p, err
}
