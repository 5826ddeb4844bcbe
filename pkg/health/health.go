// Package health tells a balancer and an operator how a process is. Liveness
// depends on nothing; readiness is computed from what the parts of the process
// report, and from probes of what can only be asked. It shows names only, never
// errors or addresses, because these may hold secrets and the answer is public.
// It restarts nothing.
package health

import (
	"slices"
	"sync"
)

// Readiness is what a process needs to serve. It is safe for concurrent use.
//
// Checks read state that others keep: they must not block, since every probe
// runs all of them.
type Readiness struct {
	mu       sync.Mutex
	needs    []check
	wants    []check
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

// Status is the answer of readiness in one word.
type Status string

const (
	// Ready is a process that lacks nothing.
	Ready Status = "ready"
	// Degraded is one that serves without something it wants.
	Degraded Status = "degraded"
	// NotReady is one that cannot serve.
	NotReady Status = "not_ready"
	// Draining is one that is about to stop.
	Draining Status = "draining"
)

// Serves reports whether requests may be sent to the process.
func (s Status) Serves() bool { return s == Ready || s == Degraded }

// Report is what Readiness found.
type Report struct {
	Status Status
	// Degraded names the wants that failed, Missing the needs, sorted.
	Degraded []string
	Missing  []string
	// Facts are the values of Show.
	Facts map[string]string
}

// New makes a Readiness that is ready.
func New() *Readiness { return &Readiness{} }

// Need adds a check without which this process cannot serve.
func (r *Readiness) Need(name string, run func() error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.needs = append(r.needs, check{name, run})
}

// Want adds a check without which it serves, but not as well.
func (r *Readiness) Want(name string, run func() error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wants = append(r.wants, check{name, run})
}

// Show adds a fact to the public answer.
func (r *Readiness) Show(name string, value func() string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.facts = append(r.facts, fact{name, value})
}

// Drain makes the process not ready for good.
func (r *Readiness) Drain() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.draining = true
}

// Report runs all checks.
func (r *Readiness) Report() Report {
	r.mu.Lock()
	needs, wants, facts, draining := slices.Clone(r.needs), slices.Clone(r.wants), slices.Clone(r.facts), r.draining
	r.mu.Unlock()
	out := Report{Missing: failed(needs), Degraded: failed(wants), Facts: map[string]string{}}
	for _, f := range facts {
		out.Facts[f.name] = f.value()
	}
	switch {
	case draining:
		out.Status = Draining
	case len(out.Missing) > 0:
		out.Status = NotReady
	case len(out.Degraded) > 0:
		out.Status = Degraded
	default:
		out.Status = Ready
	}
	return out
}

func failed(checks []check) []string {
	names := []string{}
	for _, c := range checks {
		if c.run() != nil {
			names = append(names, c.name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
