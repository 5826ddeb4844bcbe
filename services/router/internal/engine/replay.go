package engine

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
)

// Past is a request that was decided before, as its record has it.
type Past struct {
	Question decide.Question
	Health   decide.Health
	// Used is nil when it is not known.
	Used *catalog.Usage
	// Chosen is what was chosen, nil when it was refused, and Version the policy
	// by which.
	Chosen  *decide.Target
	Version string
}

// Again is what another policy makes of it.
type Again struct {
	// Decision is nil when it would be refused, and Refusal is why.
	Decision *decide.Decision
	Refusal  error
	// Cost is what was used at the price of the new first choice, and Before at
	// that of the old one in the policy of then; nil when it is not known.
	Cost, Before *int64
}

// Replay decides recorded requests again. It is for one caller at a time.
type Replay struct {
	engine *Engine
	policy *policy.Policy
	// kept are older versions, for their prices; nil is one that is gone.
	kept map[string]*policy.Policy
}

// maxKept is how many older versions a replay holds at the same time.
const maxKept = 32

// Replay prepares to decide by a document, or by the version in force if there
// is none. Nothing is stored and nothing changes, conversations included. A
// faulty document is POLICY_INVALID.
func (e *Engine) Replay(document string) (*Replay, error) {
	a, _ := e.Active()
	r := &Replay{engine: e, policy: a.Policy, kept: map[string]*policy.Policy{}}
	if document == "" {
		return r, nil
	}
	var err error
	r.policy, err = e.Validate(document)
	return r, err
}

// Decide decides once more. By the version that decided before, the same comes
// out: nothing is added to what was known then. STORE_UNAVAILABLE when the
// version of then cannot be looked up.
func (r *Replay) Decide(ctx context.Context, past Past) (again Again, err error) {
	q := past.Question
	if past.Version != r.policy.Version() {
		q = r.engine.reading.Prepare(r.policy, q, "")
	}
	again.Decision, again.Refusal = decide.Decide(r.policy, q, past.Health)
	if again.Refusal == nil {
		again.Cost = cost(r.policy, again.Decision.Plan[0], q.At, past.Used)
	}
	if past.Chosen == nil {
		return again, nil
	}
	then, err := r.version(ctx, past.Version)
	if err == nil && then != nil {
		again.Before = cost(then, *past.Chosen, q.At, past.Used)
	}
	return again, err
}

// version finds a kept one; nil when there is none of that name.
func (r *Replay) version(ctx context.Context, name string) (*policy.Policy, error) {
	if name == r.policy.Version() {
		return r.policy, nil
	}
	if p, ok := r.kept[name]; ok || name == "" {
		return p, nil
	}
	if len(r.kept) == maxKept {
		clear(r.kept)
	}
	v, err := r.engine.Get(ctx, name)
	if err != nil && apperr.Is(err, apperr.StoreUnavailable) {
		return nil, err
	}
	r.kept[name] = nil
	if err == nil {
		// What this build cannot read has no prices here.
		r.kept[name], _ = r.engine.readable(v)
	}
	return r.kept[name], nil
}

// cost is what a use costs at a target; nil when that is not known.
func cost(p *policy.Policy, t decide.Target, at time.Time, used *catalog.Usage) *int64 {
	m, ok := p.Model(t.Model)
	if !ok || used == nil {
		return nil
	}
	price, ok := m.PriceAt(t.Provider, at)
	if !ok {
		return nil
	}
	n := catalog.Cost(price, *used)
	return &n
}
