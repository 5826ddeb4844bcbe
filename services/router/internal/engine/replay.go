package engine

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
)

// RecordedRequest is a past request with the data that its record contains.
type RecordedRequest struct {
	Question decide.Question
	Health   decide.Health
	// Usage is nil if the usage is unknown.
	Usage *catalog.Usage
	// Chosen is the first choice of the original decision. It is nil if the request
	// was rejected.
	Chosen *decide.Candidate
	// PolicyVersion is the version that made the original decision.
	PolicyVersion string
}

// ReplayResult is how a policy would decide a RecordedRequest.
type ReplayResult struct {
	// Decision is nil if the policy would reject the request.
	Decision *decide.Decision
	// Refusal is the error of a rejected request.
	Refusal error
	// Cost is the cost of the recorded usage with the new first choice, in nano-USD. It
	// is nil if the cost is unknown.
	Cost *int64
	// OriginalCost is the cost of the recorded usage with the original first choice, at
	// the prices of the original policy. It is nil if the cost is unknown.
	OriginalCost *int64
}

// Replay decides recorded requests again. It is not safe for concurrent use.
type Replay struct {
	engine *Engine
	policy *policy.Policy
	// versions caches the policies of original decisions, because Replay needs their
	// prices. A policy is nil if it is not stored, or if this build cannot read it.
	versions map[string]*policy.Policy
}

// maxCachedVersions is the maximum number of policies in Replay.versions.
const maxCachedVersions = 32

// NewReplay prepares decisions with a document. If the document is empty, it uses the
// active policy. A replay stores and changes nothing, not even the remembered candidates
// of conversations. The error is POLICY_INVALID if the document is invalid.
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

// Decide decides a request again. With the original policy and the same build, the result
// is the same as before, because Decide then adds nothing to the recorded question. The
// error is STORE_UNAVAILABLE if the store does not respond.
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

// loadVersion returns the policy of a stored version. It returns nil if the version is
// not stored, or if this build cannot read it.
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
		// If this build cannot read the version, its prices are unknown.
		r.versions[name], _ = r.engine.loadPolicy(v)
	}
	return r.versions[name], nil
}

// computeCost returns the cost of a usage with a candidate in nano-USD. It returns nil if
// the cost is unknown.
func computeCost(p *policy.Policy, candidate decide.Candidate, at time.Time, used *catalog.Usage) *int64 {
	m, ok := p.Model(candidate.Model)
	if !ok || used == nil {
		return nil
	}
	price, ok := m.PriceAt(candidate.Provider, at)
	if !ok {
		return nil
	}
	n := catalog.Cost(price, *used)
	return &n
}
