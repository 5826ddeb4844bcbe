// Package decide is the decision engine: which targets to try, in which order,
// and why. A decision is a pure function of the question, the policy and the
// health snapshot, in integers: the same inputs give the same bytes, in the
// router, in a replay, on the command line and in a proxy whose router is
// away. It calls nobody and keeps nothing.
package decide

import (
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// EngineVersion changes whenever the same inputs would give another decision.
const EngineVersion = "4"

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
	Features Numbers
	Asker    Asker
	// At is when it is asked, in UTC, to the minute.
	At time.Time
	// BudgetUsed is what is used of the key's or the account's budget, in
	// thousandths of it; nil when there is none.
	BudgetUsed *int64
	// Metadata is what the client wrote about its request, by name.
	Metadata map[string]string
	// Sticky is where the request's conversation was served last; nil when it
	// is not known.
	Sticky *Target
	// Qualities are predicted, in thousandths, by model; a model without one is
	// taken at its prior. Predictor is who predicted, with its version.
	Qualities Numbers
	Predictor string
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

// Health is what is known of targets now.
type Health interface {
	// Down returns why a target cannot be used, or "". A reason that begins with
	// OverLimit is a limit of its provider, any other a breaker's.
	Down(t Target) string
	// Latency is the expected time to the first token in microseconds; 0 when
	// it is not known.
	Latency(t Target) int64
}

// Healthy is the health of a healthy world.
type Healthy struct{}

// Down is never.
func (Healthy) Down(Target) string { return "" }

// Latency is not known.
func (Healthy) Latency(Target) int64 { return 0 }

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
	// Features, Sticky, Qualities and Predictor are the question's, which who
	// asked need not know.
	Features  Numbers
	Sticky    *Target
	Qualities Numbers
	Predictor string
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
	ReasonTarget   = "RULE_TARGET"
	ReasonCheapest = "CHEAPEST"
	ReasonQuality  = "BEST_QUALITY"
	ReasonFastest  = "FASTEST"
	ReasonBalanced = "BALANCED"
	ReasonWeighted = "WEIGHTED"
	ReasonSticky   = "STICKY"
)

// Verdict is what became of one candidate.
type Verdict struct {
	Target Target
	Code   string
	Text   string
	// Predicted is the expected cost in nano-USD; not known when unpriced.
	Predicted Maybe
	// Latency is the expected time to the first token in microseconds, 0 when
	// unknown, and Quality the one it was judged by, in thousandths.
	Latency int64
	Quality int64
	// Down is why it was down; "" when it was not.
	Down string
}

// Codes of verdicts.
const (
	Chosen            = "CHOSEN"
	Reserve           = "RESERVE"
	MissingCapability = "MISSING_CAPABILITY"
	ContextTooSmall   = "CONTEXT_TOO_SMALL"
	NotAllowed        = "NOT_ALLOWED"
	ExcludedByRule    = "EXCLUDED_BY_RULE"
	BelowQuality      = "BELOW_QUALITY"
	Unhealthy         = "UNHEALTHY"
	OverLimit         = "OVER_LIMIT"
)
