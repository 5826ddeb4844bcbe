// Package engine is the router's domain: the active policy, decisions by it,
// and the health of its targets. Decisions come from memory alone; the store
// is asked at the start, for versions, and whether another router has put one
// in force. It knows neither gRPC nor SQL, and pkg/decide does the thinking.
package engine

import (
	"crypto/sha256"
	"log/slog"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router/internal/affinity"
	"github.com/signalbox/signalbox/services/router/internal/reading"
	"github.com/signalbox/signalbox/services/router/internal/trial"
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
	// reading adds to a question what the text of the request tells.
	reading *reading.Reading
	// conversations are where they were sent last.
	conversations affinity.Memory
	log           *slog.Logger
	file          func() ([]byte, error)
	tests         func(document []byte, p *policy.Policy) trial.Result

	mu      sync.RWMutex
	active  Active
	changed chan struct{}
	fault   error

	// turn is held by who changes what is in force, and guards the rest.
	turn sync.Mutex
	// latest is the activation of the store that was looked at last.
	latest int64
	// seen is the file at the last look; judged is the one that verdict is of.
	seen, judged [sha256.Size]byte
	verdict      error
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
	e.health.keep(targets(a.Policy), a.Policy.Defaults.Breaker)
}

// Decide answers by the policy in force, and by the health of its targets as all
// proxies report it. The text is what features are read from; it is not kept. A
// refusal comes with a decision that has no plan.
func (e *Engine) Decide(q decide.Question, text string) (*decide.Decision, error) {
	a, _ := e.Active()
	return e.decide(&Room{}, a.Policy, &q, text)
}

// Explain is Decide, by another document if one is given: nothing is stored
// and nothing changes. A faulty document is POLICY_INVALID.
func (e *Engine) Explain(q decide.Question, text, document string) (*decide.Decision, error) {
	if document == "" {
		return e.Decide(q, text)
	}
	p, err := e.Validate(document)
	if err != nil {
		return nil, err
	}
	return e.decide(&Room{}, p, &q, text)
}

// Room is memory that one question after the other is answered in. A decision
// is the room's until the next one is made there.
type Room struct {
	decision decide.Decision
	prepared reading.Room
	moment   moment
}

func (e *Engine) decide(room *Room, p *policy.Policy, q *decide.Question, text string) (*decide.Decision, error) {
	e.reading.PrepareIn(&room.prepared, p, q, text)
	room.moment = moment{e.health, time.Now()}
	err := decide.Into(&room.decision, p, q, &room.moment)
	return &room.decision, err
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

// Report counts the outcome of an attempt, for decisions and for Status.
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
