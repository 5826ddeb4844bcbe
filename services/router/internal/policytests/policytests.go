// Package policytests runs the routing tests of a policy without a running router. It
// reads request bodies with the proxy's parser and decides in the same way as the router.
// The router runs the tests before a document becomes active. The command "signalbox policy
// test" runs them, too. Package policy defines documents, package requestbody parses
// bodies, and package decide computes decisions.
package policytests

import (
	"fmt"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router/internal/enrich"
)

// CodeFailed is the problem code of a failed test.
const CodeFailed = "TEST_FAILED"

// Result is the result of the tests of a document.
type Result struct {
	// Ran is the number of tests.
	Ran int
	// Failed has one problem per failed test, with the test's position in the
	// document, the expectation and the actual result.
	Failed policy.Problems
}

// NewRunner returns a function that runs the tests of a policy. The function predicts
// qualities from the ratings in a catalog. The results do not depend on the clock: a test
// has a time only if it sets one. They do not depend on chance: random choices use a fixed
// seed. The function is safe for concurrent use.
func NewRunner(cat *catalog.Catalog) func(document []byte, p *policy.Policy) Result {
	enricher := enrich.New(cat)
	return func(_ []byte, p *policy.Policy) (r Result) {
		for i := range p.Routes {
			route := &p.Routes[i]
			for n := range route.Tests {
				r.Ran++
				if mismatch := runTest(enricher, p, route, &route.Tests[n]); mismatch != "" {
					r.Failed = append(r.Failed, newProblem(route, n, mismatch))
				}
			}
		}
		return r
	}
}

// runTest returns how a test fails. It returns an empty string if the test passes.
func runTest(enricher *enrich.Enricher, p *policy.Policy, route *policy.Route, t *policy.Test) string {
	q, text, err := buildQuestion(route, t)
	if err != nil {
		return describeMismatch(&t.Expect, nil, err)
	}
	d, err := decide.Decide(p, enricher.Enrich(p, q, text), newDownHealth(p, t.Down))
	return describeMismatch(&t.Expect, d, err)
}

func newProblem(route *policy.Route, n int, mismatch string) policy.Problem {
	t := &route.Tests[n]
	return policy.Problem{
		Path: fmt.Sprintf("routes.%s.tests[%d]", route.Name, n), Line: t.Line, Column: t.Column,
		Code: CodeFailed, Message: fmt.Sprintf("%q: %s", t.Name, mismatch),
	}
}
