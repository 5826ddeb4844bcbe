// Package decide is the decision engine: which targets to try, in which order,
// and why. A decision is a pure function of the question, the policy and the
// health snapshot, in integers: the same inputs give the same bytes, in the
// router, in a replay, on the command line and in a proxy whose router is
// away. It calls nobody and keeps nothing.
package decide

import (
	"github.com/signalbox/signalbox/pkg/catalog"
)

// EngineVersion changes whenever the same inputs would give another decision.
const EngineVersion = "2"

// Question is everything a decision depends on, except policy and health.
type Question struct {
	Kind catalog.Kind
	// Model is the model or route the client named.
	Model string
	// Needs are capabilities the request cannot do without.
	Needs []catalog.Capability
	// InputTokens is an estimate.
	InputTokens int64
	// MaxOutputTokens is what the client allows; 0 means it set no limit.
	MaxOutputTokens int64
	// Features are numbers about the request, by name.
	Features map[string]int64
	Asker    Asker
	// Seed makes the parts that involve chance repeatable.
	Seed uint64
}

// Asker is the part of a principal that decisions depend on.
type Asker struct {
	AccountID string
	KeyID     string
	Tags      []string
	// Models are the models and routes the key may use; empty means all.
	Models []string
	// MaySwapModel allows another model to serve an explicit name.
	MaySwapModel bool
	// Baseline is the key's or the account's; empty means the policy's.
	Baseline string
}

// Target is a model at a provider.
type Target struct {
	Model    string
	Provider string
}

// Health tells which targets cannot be used now.
type Health interface {
	// Down returns why a target is down, or "".
	Down(t Target) string
}

// Healthy is the health of a healthy world.
type Healthy struct{}

// Down is never.
func (Healthy) Down(Target) string { return "" }

// Decision is a plan with its reasons.
type Decision struct {
	// Plan has the targets in the order in which to try them; never empty.
	Plan []Target
	// HealthyFirst is what would have been first in a healthy world.
	HealthyFirst Target
	Reason       Reason
	// PolicyControlled is set when a rule or an operator's constraint shaped
	// the first choice.
	PolicyControlled bool
	// Verdicts has every candidate.
	Verdicts []Verdict
	// Baseline is the model the caller would have used without us.
	Baseline string
	Policy   string
	Catalog  string
	Engine   string
	Features map[string]int64
}

// Reason says why a plan is what it is.
type Reason struct {
	Code string
	Text string
	Rule string
}

// Codes of reasons.
const (
	ReasonExplicit = "EXPLICIT_MODEL"
	ReasonOrdered  = "FIRST_ELIGIBLE"
	ReasonReserve  = "RESERVE_AFTER_FILTERS"
)

// Verdict is what became of one candidate.
type Verdict struct {
	Target Target
	Code   string
	Text   string
	// Predicted is the expected cost in nano-USD; nil when unpriced.
	Predicted *int64
}

// Codes of verdicts.
const (
	Chosen            = "CHOSEN"
	Reserve           = "RESERVE"
	MissingCapability = "MISSING_CAPABILITY"
	ContextTooSmall   = "CONTEXT_TOO_SMALL"
	NotAllowed        = "NOT_ALLOWED"
	Unhealthy         = "UNHEALTHY"
)
