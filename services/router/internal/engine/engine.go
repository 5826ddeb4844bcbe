// Package engine is the domain of the router: the active policy, decisions, and the
// health of the candidates. An Engine decides from memory only. It uses the store at
// start, to read and write versions, and to find out whether another router activated
// a version. Package decide computes the decisions. The engine contains no gRPC and no
// SQL.
package engine

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router/internal/affinity"
	"github.com/signalbox/signalbox/services/router/internal/enrich"
	"github.com/signalbox/signalbox/services/router/internal/policytests"
)

// Active is the active policy and the time of its activation.
type Active struct {
	Policy *policy.Policy
	Since  time.Time
	// Canary is the open rollout. It is nil without one.
	Canary *Canary
}

// Engine makes decisions with the active policy. It is safe for concurrent use.
type Engine struct {
	store   Store
	catalog *catalog.Catalog
	health  *health
	// credentials is what the proxies report about the credentials of providers.
	credentials credentials
	// enricher adds features and predicted qualities to a question.
	enricher *enrich.Enricher
	// conversations holds the last candidate of recent conversations.
	conversations affinity.Memory
	log           *slog.Logger
	readFile      func(ctx context.Context) ([]byte, error)
	runTests      func(document []byte, p *policy.Policy) policytests.Result
	secretAllowed policy.SecretRule

	mu      sync.RWMutex
	active  Active
	drains  *Drains
	changed chan struct{}
	// refreshErr is the result of RefreshError.
	refreshErr error

	// changeMu is held while the active policy is changed. It guards the fields below.
	changeMu sync.Mutex
	// latestActivation is the store's activation number at the last poll.
	latestActivation int64
	// seenHash is the hash of the policy file at the last poll.
	seenHash [sha256.Size]byte
	// checkedHash is the hash of the policy file that was last compiled and tested.
	checkedHash [sha256.Size]byte
	// checkedErr is the error of the policy file with checkedHash; nil if it is valid.
	checkedErr error
	// canaryErr is why this router does not take part in the rollout.
	canaryErr error
	// latestDrain is the store's number of the last change of the drains that were read.
	latestDrain int64
}

// Active returns the active policy and a channel that is closed when another policy
// becomes active, or when the rollout or the drains change.
func (e *Engine) Active() (Active, <-chan struct{}) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.active, e.changed
}

// setActive makes a policy active and closes the channel that Active returned.
func (e *Engine) setActive(a Active) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.changed != nil {
		close(e.changed)
	}
	e.active, e.changed = a, make(chan struct{})
	e.health.setCandidates(candidatesOf(a), a.Policy.Defaults.Breaker)
}

// candidatesOf returns the candidates of the active policy and of the rollout.
func candidatesOf(a Active) []decide.Candidate {
	all := policyCandidates(a.Policy)
	if a.Canary != nil {
		all = append(all, policyCandidates(a.Canary.Policy)...)
	}
	return all
}

// Decide decides with the active policy and the health that all proxies have reported.
// It reads features from the text and does not retain the text. The decision contains
// the plan, the list of candidates to try. If Decide rejects the request, it returns an
// error and a decision without a plan.
func (e *Engine) Decide(q decide.Question, text string) (*decide.Decision, error) {
	a, _ := e.Active()
	return e.decideWith(&Scratch{}, a.Policy, &q, text)
}

// Explain decides like Decide, but with another document if one is given. It stores
// and changes nothing. The error is POLICY_INVALID if the document is invalid.
func (e *Engine) Explain(q decide.Question, text, document string) (*decide.Decision, error) {
	if document == "" {
		return e.Decide(q, text)
	}
	p, err := e.Validate(document)
	if err != nil {
		return nil, err
	}
	return e.decideWith(&Scratch{}, p, &q, text)
}

// Scratch is memory that is reused for many decisions. A decision is valid until
// the next decision with the same Scratch.
type Scratch struct {
	decision decide.Decision
	enriched enrich.Scratch
	health   healthAt
}

func (e *Engine) decideWith(scratch *Scratch, p *policy.Policy, q *decide.Question, text string) (*decide.Decision, error) {
	e.enricher.EnrichInto(&scratch.enriched, p, q, text)
	scratch.health = healthAt{e.health, e.Drains(), time.Now()}
	err := decide.DecideInto(&scratch.decision, p, q, &scratch.health)
	return &scratch.decision, err
}

// Report counts the outcome of an attempt. Decisions and Status use the counts.
func (e *Engine) Report(o Outcome) { e.health.addOutcome(o) }

// Status returns the health of the candidates of the active policy, in the order of the
// policy. If the policy does not list a model, Status leaves out the model's candidates
// that have no data.
func (e *Engine) Status() (version string, all []CandidateStatus) {
	a, _ := e.Active()
	for i := range a.Policy.Models {
		m := &a.Policy.Models[i]
		for _, candidate := range modelCandidates(m) {
			if s := e.health.status(candidate); !m.Unlisted || s.hasData() {
				all = append(all, s)
			}
		}
	}
	return a.Policy.Version(), all
}

func policyCandidates(p *policy.Policy) []decide.Candidate {
	var all []decide.Candidate
	for i := range p.Models {
		all = append(all, modelCandidates(&p.Models[i])...)
	}
	return all
}

func modelCandidates(m *policy.Model) []decide.Candidate {
	all := make([]decide.Candidate, len(m.Endpoints))
	for i, at := range m.Endpoints {
		all[i] = decide.Candidate{Model: m.ID, Provider: at.Provider}
	}
	return all
}
