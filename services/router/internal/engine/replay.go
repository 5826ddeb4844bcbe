package engine

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
)

// RecordedRequest is a request that was decided before, as recorded.
type RecordedRequest struct {
	Question decide.Question
	Health   decide.Health
	// Usage is nil if it is unknown.
	Usage *catalog.Usage
	// Chosen is the first choice, nil if the request was refused. PolicyVersion
	// is the policy that decided.
	Chosen        *decide.Candidate
	PolicyVersion string
}

// ReplayResult is the result of another policy for a RecordedRequest.
type ReplayResult struct {
	// Decision is nil if the request would be refused; Refusal is the reason.
	Decision *decide.Decision
	Refusal  error
	// Cost is the recorded usage at the price of the new first choice.
	// OriginalCost is the same for the original choice and policy. Both are nil
	// if unknown.
	Cost, OriginalCost *int64
}

// Replay decides recorded requests again. It is not safe for concurrent use.
type Replay struct {
	engine *Engine
	policy *policy.Policy
	// versions caches older versions for their prices; nil if a version is gone.
	versions map[string]*policy.Policy
}

// maxCachedVersions limits the older versions that a replay holds in memory.
const maxCachedVersions = 32

// NewReplay prepares decisions with a document, or with the active version if the
// document is empty. Nothing is stored or changed, conversations included. An
// invalid document is POLICY_INVALID.
func (e *Engine) NewReplay(document string) (*Replay, error) {
	a, _ := e.Active()
	r := &Replay{engine: e, policy: a.Policy, versions: map[string]*policy.Policy{}}
	if document == "" {
		return r, nil
	}
	var err error
	r.policy, err = e.Validate(document)
	return r, err
}

// Decide decides a request again. With the policy that decided before, the result is
// the same, because nothing is added to the recorded question. The error is
// STORE_UNAVAILABLE if the original version cannot be read.
func (r *Replay) Decide(ctx context.Context, past RecordedRequest) (result ReplayResult, err error) {
	q := past.Question
	if past.PolicyVersion != r.policy.Version() {
		q = r.engine.enricher.Enrich(r.policy, q, "")
	}
	result.Decision, result.Refusal = decide.Decide(r.policy, q, past.Health)
	if result.Refusal == nil {
		result.Cost = computeCost(r.policy, result.Decision.Plan[0], q.At, past.Usage)
	}
	if past.Chosen == nil {
		return result, nil
	}
	then, err := r.loadVersion(ctx, past.PolicyVersion)
	if err == nil && then != nil {
		result.OriginalCost = computeCost(then, *past.Chosen, q.At, past.Usage)
	}
	return result, err
}

// loadVersion returns a stored version, nil if there is none with that name.
func (r *Replay) loadVersion(ctx context.Context, name string) (*policy.Policy, error) {
	if name == r.policy.Version() {
		return r.policy, nil
	}
	if p, ok := r.versions[name]; ok || name == "" {
		return p, nil
	}
	if len(r.versions) == maxCachedVersions {
		clear(r.versions)
	}
	v, err := r.engine.Get(ctx, name)
	if err != nil && apperr.Is(err, apperr.StoreUnavailable) {
		return nil, err
	}
	r.versions[name] = nil
	if err == nil {
		// A version that this build cannot read has no prices here.
		r.versions[name], _ = r.engine.loadPolicy(v)
	}
	return r.versions[name], nil
}

// computeCost returns the cost of a usage at a candidate, nil if it is unknown.
func computeCost(p *policy.Policy, t decide.Candidate, at time.Time, used *catalog.Usage) *int64 {
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
