package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
)

// maxNote is enough for a sentence or two.
const maxNote = 1000

// Draft is a document that is to come into force.
type Draft struct {
	Document     string
	Author, Note string
	// Over is the version that the author believes in force; empty means any.
	Over string
}

// ReadOnly is whether the operator's file rules, so that nothing can be
// published.
func (e *Engine) ReadOnly() bool { return e.file != nil }

// Publish keeps a document and puts it in force. Publishing what is in force
// already changes nothing. Errors: POLICY_READ_ONLY, POLICY_INVALID,
// POLICY_TESTS_FAILED, POLICY_CONFLICT, STORE_UNAVAILABLE.
func (e *Engine) Publish(ctx context.Context, d Draft) (Version, error) {
	if err := e.mayChange(d.Note); err != nil {
		return Version{}, err
	}
	p, err := e.Validate(d.Document)
	if err != nil {
		return Version{}, err
	}
	if failed := e.test(d.Document, p).Failed; len(failed) > 0 {
		return Version{}, apperr.New(apperr.PolicyTestFailed, "the policy fails its own tests").With("problems", failed).Because(failed)
	}
	e.turn.Lock()
	defer e.turn.Unlock()
	now, err := e.stored(ctx)
	if err != nil {
		return Version{}, err
	}
	if now.Name == p.Version() && now.Document == d.Document {
		return now, nil
	}
	v, err := e.activate(ctx, Version{Document: d.Document, Origin: OriginPublish, Author: d.Author, Note: d.Note}, p, d.Over)
	return v, refused(err)
}

// Rollback puts a kept version in force again, as it was compiled; one that
// this build cannot read is compiled again, and is then a version of its own.
// Errors: POLICY_READ_ONLY, NOT_FOUND, POLICY_INVALID, STORE_UNAVAILABLE.
func (e *Engine) Rollback(ctx context.Context, name, author, note string) (Version, error) {
	if err := e.mayChange(note); err != nil {
		return Version{}, err
	}
	if name == "" {
		return Version{}, apperr.New(apperr.InvalidRequest, "name the version to go back to").With("param", "version")
	}
	e.turn.Lock()
	defer e.turn.Unlock()
	v, err := e.Get(ctx, name)
	if err != nil || v.Active {
		return v, err
	}
	p, err := e.readable(v)
	if err != nil {
		return Version{}, err
	}
	v, err = e.activate(ctx, Version{Document: v.Document, Origin: OriginRollback, Author: author, Note: note}, p, "")
	return v, refused(err)
}

// readable is a kept version as it was compiled, else compiled again.
func (e *Engine) readable(v Version) (*policy.Policy, error) {
	if p, err := decode(v); err == nil {
		return p, nil
	}
	return e.Validate(v.Document)
}

func (e *Engine) mayChange(note string) error {
	if e.ReadOnly() {
		return apperr.New(apperr.PolicyReadOnly, "the router was started with a policy file (--config), and the file rules: change it there, or start without --config")
	}
	if len(note) > maxNote {
		return apperr.New(apperr.InvalidRequest, fmt.Sprintf("a note has at most %d bytes", maxNote)).With("param", "note")
	}
	return nil
}

// refused is an error of activate for a person.
func refused(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrMoved):
		return apperr.New(apperr.PolicyConflict, "another version is in force than the one you expect: look at what has changed, and publish over it").Because(err)
	}
	return away(err)
}

func away(err error) error {
	return apperr.New(apperr.StoreUnavailable, "the policy store does not answer").Because(err)
}
