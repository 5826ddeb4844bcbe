package router

import (
	"errors"
	"fmt"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router/internal/policytests"
)

// ValidationResult is the result of checking a document without a running router.
type ValidationResult struct {
	// Version is the version name that the policy would get. It is empty if the
	// document does not compile.
	Version string
	// Problems holds all problems of the document.
	Problems policy.Problems
	// Tests counts the routing tests of the document. Only RunTests sets it.
	Tests int
	// Failed holds the failed tests as problems with their positions. Only RunTests
	// sets it.
	Failed policy.Problems
}

// Validate compiles a document as a router of this version would.
func Validate(document []byte) (ValidationResult, error) {
	cat, err := catalog.Load()
	if err != nil {
		return ValidationResult{}, fmt.Errorf("router: %w", err)
	}
	c, _, err := compileDocument(document, cat)
	return c, err
}

// RunTests validates a document and, if it is valid, runs its tests.
func RunTests(document []byte) (ValidationResult, error) {
	cat, err := catalog.Load()
	if err != nil {
		return ValidationResult{}, fmt.Errorf("router: %w", err)
	}
	c, p, err := compileDocument(document, cat)
	if err != nil || p == nil {
		return c, err
	}
	result := policytests.NewRunner(cat)(document, p)
	c.Tests, c.Failed = result.Ran, result.Failed
	return c, nil
}

func compileDocument(document []byte, cat *catalog.Catalog) (ValidationResult, *policy.Policy, error) {
	p, err := policy.Compile(document, cat)
	var problems policy.Problems
	switch {
	case errors.As(err, &problems):
		return ValidationResult{Problems: problems}, nil, nil
	case err != nil:
		return ValidationResult{}, nil, fmt.Errorf("router: %w", err)
	}
	return ValidationResult{Version: p.Version()}, p, nil
}
