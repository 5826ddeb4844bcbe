package router

import (
	"errors"
	"fmt"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router/internal/trial"
)

// Checked is a document that was checked without a running router.
type Checked struct {
	// Version is the name that it would get; empty when it does not compile.
	Version string
	// Problems are all its faults.
	Problems policy.Problems
	// Tests is how many routing tests it has, and Failed those that do not
	// hold, as problems with their places. Only Test runs them.
	Tests  int
	Failed policy.Problems
}

// Validate compiles a document as a router of this build would.
func Validate(document []byte) (Checked, error) {
	cat, err := catalog.Load()
	if err != nil {
		return Checked{}, fmt.Errorf("router: %w", err)
	}
	c, _, err := compile(document, cat)
	return c, err
}

// Test is Validate, and if nothing is wrong runs the tests of the document.
func Test(document []byte) (Checked, error) {
	cat, err := catalog.Load()
	if err != nil {
		return Checked{}, fmt.Errorf("router: %w", err)
	}
	c, p, err := compile(document, cat)
	if err != nil || p == nil {
		return c, err
	}
	result := trial.With(cat)(document, p)
	c.Tests, c.Failed = result.Ran, result.Failed
	return c, nil
}

func compile(document []byte, cat *catalog.Catalog) (Checked, *policy.Policy, error) {
	p, err := policy.Compile(document, cat)
	var problems policy.Problems
	switch {
	case errors.As(err, &problems):
		return Checked{Problems: problems}, nil, nil
	case err != nil:
		return Checked{}, nil, fmt.Errorf("router: %w", err)
	}
	return Checked{Version: p.Version()}, p, nil
}
