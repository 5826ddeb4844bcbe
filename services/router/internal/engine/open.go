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
	"github.com/signalbox/signalbox/services/router/internal/enrich"
	"github.com/signalbox/signalbox/services/router/internal/policytests"
)

// Options holds the dependencies of an Engine.
type Options struct {
	Store   Store
	Catalog *catalog.Catalog
	Log     *slog.Logger
	// ReadFile reads the operator's policy file until ctx ends. It is nil if there is no
	// policy file. Calls do not overlap.
	ReadFile func(ctx context.Context) ([]byte, error)
	// HasEnv reports whether an environment variable is set.
	HasEnv func(env string) bool
	// RunTests runs the tests of a document that compiles. If it is nil, no tests run.
	RunTests func(document []byte, p *policy.Policy) policytests.Result
	// SecretAllowed decides which secrets a published policy may use. Nil allows none.
	SecretAllowed policy.SecretRule
	// Weights replaces the weights that ship with the program. Nil means those.
	Weights *enrich.Weights
}

// Open activates the operator's file if there is one. Otherwise it activates the
// version that was last active or, in an empty store, the default policy. The
// default policy is generated from the environment at every start, until another
// policy replaces it. If a file is invalid or its tests fail, Open activates the file's
// last valid version; if there is none, the error has the type policy.Problems.
func Open(ctx context.Context, s Options) (*Engine, error) {
	weights, err := enrich.LoadWeights()
	if err != nil {
		return nil, err
	}
	if s.Weights != nil {
		weights = *s.Weights
	}
	e := &Engine{drains: &Drains{}, store: s.Store, catalog: s.Catalog, health: newHealth(), enricher: enrich.NewWith(s.Catalog, weights), log: s.Log, readFile: s.ReadFile, runTests: s.RunTests, secretAllowed: s.SecretAllowed}
	if e.secretAllowed == nil {
		e.secretAllowed = func(string, string) bool { return false }
	}
	stored, ok, err := s.Store.Active(ctx)
	if err != nil {
		return nil, fmt.Errorf("read active policy: %w", err)
	}
	switch {
	case s.ReadFile != nil:
		err = e.openFile(ctx, stored)
	case !ok || stored.Origin == OriginDefault:
		err = e.applyDocument(ctx, stored, Version{Document: string(policy.Default(s.HasEnv, s.Catalog, time.Now())), Origin: OriginDefault})
	default:
		err = e.resumeStored(ctx, stored)
	}
	if err != nil {
		return nil, err
	}
	if err := e.readDrains(ctx); err != nil {
		return nil, fmt.Errorf("read drains: %w", err)
	}
	if s.ReadFile == nil {
		// Without the rollout, the stable version serves all requests until the next poll.
		e.pollCanary(ctx)
	}
	a, _ := e.Active()
	s.Log.Info("policy active", "policy", a.Policy.Version(), "models", len(a.Policy.Models), "since", a.Since)
	return e, nil
}

// openFile activates the operator's file. If the file cannot be used, it activates the
// last version of the file that could, so that a restart does not stop all requests.
// RefreshError then returns the reason. A version that was not a file's is not used: the
// operator has just chosen the file instead of it.
func (e *Engine) openFile(ctx context.Context, stored Version) error {
	fault := e.applyFile(ctx, stored)
	if fault == nil || stored.Origin != OriginFile {
		return fault
	}
	if err := e.resumeStored(ctx, stored); err != nil {
		return errors.Join(fault, err)
	}
	e.setRefreshError(ctx, fault)
	return nil
}

func (e *Engine) applyFile(ctx context.Context, stored Version) error {
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	document, err := e.readFile(ctx)
	if err != nil {
		return err
	}
	err = e.applyDocument(ctx, stored, Version{Document: string(document), Origin: OriginFile})
	e.seenHash = sha256.Sum256(document)
	var problems policy.Problems
	if err == nil || errors.As(err, &problems) {
		e.checkedHash, e.checkedErr = e.seenHash, err
	}
	return err
}

// applyDocument activates a document and stores it. stored is the version that is active
// in the store. If stored has the same document and origin, applyDocument stores nothing.
// If the document does not compile or fails its tests, the error has the type
// policy.Problems.
func (e *Engine) applyDocument(ctx context.Context, stored, v Version) error {
	p, err := policy.Compile([]byte(v.Document), e.catalog)
	if err != nil {
		return err
	}
	if failed := e.testDocument(v.Document, p).Failed; len(failed) > 0 {
		return failed
	}
	if stored.Name == p.Version() && stored.Origin == v.Origin && stored.Document == v.Document {
		e.setActive(Active{Policy: p, Since: stored.Activated})
		return nil
	}
	_, err = e.activate(ctx, v, p, "")
	return err
}

func (e *Engine) testDocument(document string, p *policy.Policy) policytests.Result {
	if e.runTests == nil {
		return policytests.Result{}
	}
	return e.runTests([]byte(document), p)
}

// activate stores version v, whose compiled form is p, and makes it active. If expected
// is set and another version is active, the error is ErrConflict.
func (e *Engine) activate(ctx context.Context, v Version, p *policy.Policy, expected string) (Version, error) {
	// The store has a resolution of microseconds. Truncate, so that the time is the same
	// after a restart.
	now := time.Now().UTC().Truncate(time.Microsecond)
	v.Name, v.Compiled, v.Created, v.Activated, v.Active = p.Version(), p.Canonical(), now, now, true
	if err := e.store.Activate(ctx, v, expected); err != nil {
		return Version{}, fmt.Errorf("store policy: %w", err)
	}
	e.setActive(Active{Policy: p, Since: now})
	return v, nil
}

// resumeStored activates a stored version in its compiled form. If this build cannot
// read that form, it compiles the document again and stores the result as a new
// version. A version with secrets that are not allowed any more stays active, because a
// restart must not stop all requests; RefreshError reports it.
func (e *Engine) resumeStored(ctx context.Context, v Version) error {
	p, err := decodeVersion(v)
	if err == nil {
		e.setActive(Active{Policy: p, Since: v.Activated})
		// If the store fails, the first poll checks the secrets.
		fault, _ := e.checkSecrets(ctx, v, p)
		e.setRefreshError(ctx, fault)
		return nil
	}
	again, problems := policy.Compile([]byte(v.Document), e.catalog)
	if problems != nil {
		return fmt.Errorf("load stored policy %s: %w", v.Name, errors.Join(err, problems))
	}
	_, err = e.activate(ctx, v, again, "")
	return err
}

func decodeVersion(v Version) (*policy.Policy, error) {
	p, err := policy.Decode(v.Compiled)
	if err == nil && p.Version() != v.Name {
		err = errors.New("content does not match the version's hash")
	}
	return p, err
}
