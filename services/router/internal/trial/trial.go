// Package trial runs the routing tests that stand in a policy, by the same
// engine that decides and without a service. The router asks it before a
// document comes into force, the command line on its own. What a document
// means is pkg/policy's, and how one is decided pkg/decide's.
package trial

import (
	"fmt"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router/internal/reading"
)

// CodeFailed is the code of a test that does not hold.
const CodeFailed = "TEST_FAILED"

// Result is what came of the tests of a document.
type Result struct {
	// Ran is how many there are.
	Ran int
	// Failed has a problem per test that does not hold, with the test's place
	// in the document, what was expected, and what came.
	Failed policy.Problems
}

// With returns what runs the tests of a document that compiles to p, with
// qualities predicted by the priors of a catalog. It depends on neither clock
// nor chance: a test without a time is asked at none, and what is left to
// chance falls the same way every time. It is safe for concurrent use.
func With(cat *catalog.Catalog) func(document []byte, p *policy.Policy) Result {
	read := reading.New(cat)
	return func(_ []byte, p *policy.Policy) (r Result) {
		for i := range p.Routes {
			route := &p.Routes[i]
			for n := range route.Tests {
				r.Ran++
				if said := try(read, p, route, &route.Tests[n]); said != "" {
					r.Failed = append(r.Failed, problem(route, n, said))
				}
			}
		}
		return r
	}
}

// try returns what does not hold of a test, or nothing.
func try(read *reading.Reading, p *policy.Policy, route *policy.Route, t *policy.Test) string {
	q, text, err := question(route, t)
	if err != nil {
		return check(&t.Expect, nil, err)
	}
	d, err := decide.Decide(p, read.Prepare(p, q, text), downs(p, t.Down))
	return check(&t.Expect, d, err)
}

func problem(route *policy.Route, n int, said string) policy.Problem {
	t := &route.Tests[n]
	return policy.Problem{
		Path: fmt.Sprintf("routes.%s.tests[%d]", route.Name, n), Line: t.Line, Column: t.Column,
		Code: CodeFailed, Message: fmt.Sprintf("%q: %s", t.Name, said),
	}
}
