package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router/internal/rollouts"
)

const maxNoteBytes = 1000

// Draft is a document to publish.
type Draft struct {
	Document     string
	Author, Note string
	// ExpectedVersion is the version that the author expects to be active. If it is
	// empty, any version may be active.
	ExpectedVersion string
}

// ReadOnly reports whether the router uses a policy file. The policy then changes only
// with the file: Publish and Rollback return an error.
func (e *Engine) ReadOnly() bool { return e.readFile != nil }

// Publish stores a document and activates it. Publishing the active document again
// changes nothing. Errors: POLICY_READ_ONLY, POLICY_INVALID, POLICY_TESTS_FAILED,
// POLICY_CONFLICT, STORE_UNAVAILABLE, and INVALID_REQUEST for a long note.
func (e *Engine) Publish(ctx context.Context, d Draft) (Version, error) {
	if err := e.checkWritable(d.Note); err != nil {
		return Version{}, err
	}
	p, err := e.Validate(d.Document)
	if err != nil {
		return Version{}, err
	}
	if err := e.checkTests(d.Document, p); err != nil {
		return Version{}, err
	}
	e.changeMu.Lock()
	defer e.changeMu.Unlock()
	active, err := e.activeVersion(ctx)
	if err != nil {
		return Version{}, err
	}
	if active.Name == p.Version() && active.Document == d.Document {
		return active, nil
	}
	v, err := e.activate(ctx, Version{Document: d.Document, Origin: OriginPublish, Author: d.Author, Note: d.Note}, p, d.ExpectedVersion)
	return v, toActivateError(err)
}

func (e *Engine) checkTests(document string, p *policy.Policy) error {
	if failed := e.testDocument(document, p).Failed; len(failed) > 0 {
		return apperr.New(apperr.PolicyTestFailed, "the policy fails its own tests").With("problems", failed).WithCause(failed)
	}
	return nil
}

// Rollback activates a stored version again in its compiled form. If this build cannot
// read that form, or its secrets are not allowed any more, it compiles the document again
// and stores the result as a new version.
// Errors: those of Get, POLICY_READ_ONLY, POLICY_INVALID, and INVALID_REQUEST for an empty
// name or a long note.
func (e *Engine) Rollback(ctx context.Context, name, author, note string) (Version, error) {
	if err := e.checkWritable(note); err != nil {
		return Version{}, err
	}
	if name == "" {
		return Version{}, apperr.New(apperr.InvalidRequest, "specify the version to roll back to").With("param", "version")
	}
	e.changeMu.Lock()
	defer e.changeMu.Unlock()
	v, err := e.Get(ctx, name)
	if err != nil || v.Active {
		return v, err
	}
	p, err := e.loadPolicy(v)
	if err != nil {
		return Version{}, err
	}
	if p, err = e.restrictSecrets(ctx, v, p); err != nil {
		return Version{}, err
	}
	v, err = e.activate(ctx, Version{Document: v.Document, Origin: OriginRollback, Author: author, Note: note}, p, "")
	return v, toActivateError(err)
}

// loadPolicy returns the compiled policy of a stored version. If this build cannot
// read the compiled form, loadPolicy compiles the document again.
func (e *Engine) loadPolicy(v Version) (*policy.Policy, error) {
	if p, err := decodeVersion(v); err == nil {
		return p, nil
	}
	return e.compile(v.Document)
}

func (e *Engine) checkWritable(note string) error {
	if e.ReadOnly() {
		return apperr.New(apperr.PolicyReadOnly, "the router uses a policy file (--config), so the policy cannot be changed here: edit the file, or start the router without --config")
	}
	if len(note) > maxNoteBytes {
		return apperr.New(apperr.InvalidRequest, fmt.Sprintf("the note is longer than %d bytes: shorten it", maxNoteBytes)).With("param", "note")
	}
	return nil
}

func toActivateError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrConflict), errors.Is(err, rollouts.ErrChanged):
		return apperr.New(apperr.PolicyConflict, "another version was published meanwhile: review its changes, then publish again").WithCause(err)
	}
	return storeUnavailable(err)
}

func storeUnavailable(err error) error {
	return apperr.New(apperr.StoreUnavailable, "the policy store does not respond: try again").WithCause(err)
}
