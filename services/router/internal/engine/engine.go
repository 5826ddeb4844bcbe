// Package engine is the router's domain: the active policy, decisions by it,
// and the health of its targets. Decisions come from memory alone; the store
// is asked at the start and for the list of versions. It knows neither gRPC
// nor SQL, and pkg/decide does the thinking.
package engine

import (
	"context"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
)

// Active is the policy in force and since when.
type Active struct {
	Policy *policy.Policy
	Since  time.Time
}

// Engine decides. It is safe for concurrent use.
type Engine struct {
	store  Store
	cat    *catalog.Catalog
	health *health

	mu      sync.RWMutex
	active  Active
	changed chan struct{}
}

// Active is the policy in force, with a channel that is closed as soon as
// another one is.
func (e *Engine) Active() (Active, <-chan struct{}) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.active, e.changed
}

// put makes a policy the one in force and tells everybody who watches.
func (e *Engine) put(a Active) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.changed != nil {
		close(e.changed)
	}
	e.active, e.changed = a, make(chan struct{})
	e.health.keep(targets(a.Policy))
}

// Decide answers by the policy in force. Reported outcomes change nothing in
// it: a proxy moves on from a target that fails.
func (e *Engine) Decide(q decide.Question) (*decide.Decision, error) {
	a, _ := e.Active()
	return decide.Decide(a.Policy, q, decide.Healthy{})
}

// Explain is Decide, by another document if one is given: nothing is stored
// and nothing changes. A faulty document is POLICY_INVALID.
func (e *Engine) Explain(q decide.Question, document string) (*decide.Decision, error) {
	if document == "" {
		return e.Decide(q)
	}
	p, err := e.Validate(document)
	if err != nil {
		return nil, err
	}
	return decide.Decide(p, q, decide.Healthy{})
}

// Validate compiles a document. POLICY_INVALID carries all its problems, and
// has policy.Problems as its cause.
func (e *Engine) Validate(document string) (*policy.Policy, error) {
	p, err := policy.Compile([]byte(document), e.cat)
	if err == nil {
		return p, nil
	}
	return nil, apperr.New(apperr.PolicyInvalid, "the policy document is not valid").With("problems", err).Because(err)
}

// Versions lists the kept versions, the newest first. STORE_UNAVAILABLE when
// the store does not answer.
func (e *Engine) Versions(ctx context.Context, limit int) ([]Version, error) {
	list, err := e.store.List(ctx, limit)
	if err != nil {
		return nil, apperr.New(apperr.StoreUnavailable, "the policy store does not answer").Because(err)
	}
	return list, nil
}

// Report counts the outcome of an attempt, for Status.
func (e *Engine) Report(o Outcome) { e.health.report(o) }

// Status is the health of the targets of the policy in force, in its order: of
// those that the document lists, and of the others that were asked.
func (e *Engine) Status() (version string, all []TargetStatus) {
	a, _ := e.Active()
	for i := range a.Policy.Models {
		m := &a.Policy.Models[i]
		for _, t := range places(m) {
			if s := e.health.status(t); !m.Unlisted || s.asked() {
				all = append(all, s)
			}
		}
	}
	return a.Policy.Version(), all
}

func targets(p *policy.Policy) []decide.Target {
	var all []decide.Target
	for i := range p.Models {
		all = append(all, places(&p.Models[i])...)
	}
	return all
}

func places(m *policy.Model) []decide.Target {
	all := make([]decide.Target, len(m.Endpoints))
	for i, at := range m.Endpoints {
		all[i] = decide.Target{Model: m.ID, Provider: at.Provider}
	}
	return all
}
