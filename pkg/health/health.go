// Package health reports the liveness and readiness of a process to load balancers and
// operators. Liveness means only that the process responds. Readiness combines checks of local
// state with background probes of dependencies. The public response contains the names of failed
// checks and the facts (see AddFact). It never contains errors or addresses, because they may
// contain secrets.
package health

import (
	"slices"
	"sync"
)

// Readiness holds the checks of a process. It is safe for concurrent use. Checks must not
// block, because every readiness request runs all of them.
type Readiness struct {
	mu       sync.Mutex
	required []check
	optional []check
	facts    []fact
	draining bool
}

type check struct {
	name string
	run  func() error
}

type fact struct {
	name  string
	value func() string
}

// Status is the readiness of a process.
type Status string

const (
	// Ready means that all checks pass.
	Ready Status = "ready"
	// Degraded means that the process serves requests but an optional check fails.
	Degraded Status = "degraded"
	// NotReady means that a required check fails, so the process cannot serve requests.
	NotReady Status = "not_ready"
	// Draining means that the process is shutting down.
	Draining Status = "draining"
)

// Serves reports whether the process can serve requests.
func (s Status) Serves() bool { return s == Ready || s == Degraded }

// Report is the result of all checks.
type Report struct {
	Status Status
	// FailedOptional lists the failed optional checks, sorted.
	FailedOptional []string
	// FailedRequired lists the failed required checks, sorted.
	FailedRequired []string
	// Facts contains the values added with AddFact, by name.
	Facts map[string]string
}

// New returns a Readiness without checks. Without checks, the process is ready.
func New() *Readiness { return &Readiness{} }

// AddRequired adds a check that must pass for the process to be ready.
func (r *Readiness) AddRequired(name string, run func() error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.required = append(r.required, check{name, run})
}

// AddOptional adds a check. If the check fails, the process serves requests in a degraded state.
func (r *Readiness) AddOptional(name string, run func() error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.optional = append(r.optional, check{name, run})
}

// AddFact adds a value, such as a version, to the public response of the readiness endpoint.
func (r *Readiness) AddFact(name string, value func() string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.facts = append(r.facts, fact{name, value})
}

// Drain marks the process as draining, permanently. Load balancers then stop sending requests.
func (r *Readiness) Drain() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.draining = true
}

// Report runs all checks and returns their result.
func (r *Readiness) Report() Report {
	r.mu.Lock()
	required, optional, facts, draining := slices.Clone(r.required), slices.Clone(r.optional), slices.Clone(r.facts), r.draining
	r.mu.Unlock()
	out := Report{FailedRequired: failedNames(required), FailedOptional: failedNames(optional), Facts: map[string]string{}}
	for _, f := range facts {
		out.Facts[f.name] = f.value()
	}
	switch {
	case draining:
		out.Status = Draining
	case len(out.FailedRequired) > 0:
		out.Status = NotReady
	case len(out.FailedOptional) > 0:
		out.Status = Degraded
	default:
		out.Status = Ready
	}
	return out
}

func failedNames(checks []check) []string {
	names := []string{}
	for _, c := range checks {
		if c.run() != nil {
			names = append(names, c.name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
