// Package decide chooses which candidates may serve a request, in which order,
// and explains why. A candidate is a model at a provider.
//
// Decide is a pure function of the question, the compiled policy and the health
// snapshot, and computes only with integers. The same inputs give the same bytes in
// the router, in a replay, on the command line, and in a proxy that cannot reach its
// router. The package does no I/O and holds no state between decisions.
//
// A decision takes four steps: resolve the requested name to a route or a model,
// evaluate and rank every candidate, build the plan, and explain the result. The
// plan lists the candidates to try, in order. For example, take this route,
//
//	auto:
//	  select: [{strategy: cheapest, candidates: [tiny, small]}]
//	  on_failure: [large]
//
// and a request that contains an image. The selected candidates rank by cost, and
// each candidate gets a verdict:
//
//	candidate   cost      verdict
//	tiny@us     $0.0001   MISSING_CAPABILITY  does not support vision
//	small@us    $0.0002   UNHEALTHY           breaker open
//	small@eu    $0.0004   CHOSEN              First choice
//	large@us    $0.0107   FALLBACK            Fallback 1
//
// The plan is [small@eu, large@us]. HealthyFirst is small@us: this candidate would
// be the first choice if every provider were healthy. If a candidate other than
// HealthyFirst serves the request, the request is recorded with the route "fallback".
package decide

import (
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// EngineVersion changes whenever the same inputs would give a different plan, verdict
// code or reason code. It stays the same if only texts change.
const EngineVersion = "9"

// Question holds every input of a decision except the policy and the health.
type Question struct {
	Kind catalog.Kind
	// Model is the model or route that the client requested.
	Model string
	// Needs lists the capabilities that the request requires.
	Needs []catalog.Capability
	// NativeProtocol is the protocol of the client. It is empty for chat completions.
	NativeProtocol catalog.Protocol
	// NativeOnly names the parts of the request that only a provider of NativeProtocol can
	// serve, such as "signature". If it is empty, any provider can serve the request.
	NativeOnly []string
	// Issuer is the provider that stores an object to which the request refers, such as the
	// response that it continues. Only this provider can serve the request. It is empty if any
	// provider can.
	Issuer string
	// InputTokens is an estimate.
	InputTokens int64
	// MaxOutputTokens is the client's output limit; 0 means no limit.
	MaxOutputTokens int64
	// MaxCost is the most that the request may cost, in nano-USD. It is unknown if the
	// client sets no limit.
	MaxCost OptionalInt
	// OwnEffort means that the request sets its own reasoning effort. The efforts of
	// candidates then do not apply.
	OwnEffort bool
	// Features are measurements of the request, such as turns or stream, by name.
	Features NamedValues
	Caller   Caller
	// At is the time of the request in UTC, truncated to the minute. The zero time
	// means that the time is unknown.
	At time.Time
	// BudgetUsed is the used share of the key's or the account's budget, in
	// thousandths. The budget with the higher share counts. BudgetUsed is nil if no
	// budget is set.
	BudgetUsed *int64
	// Metadata is the client's metadata about its request, by name.
	Metadata map[string]string
	// Sticky is the candidate that served the conversation last; nil when unknown.
	Sticky *Candidate
	// Session is what is known of the session of the request; nil when nothing is known.
	Session *Session
	// Qualities are predicted qualities in thousandths, by model. A model without a
	// prediction uses its prior, the quality that the catalog or the policy assumes.
	Qualities NamedValues
	// Predictor names the predictor of Qualities and its version.
	Predictor string
	// Seed is the random seed of the policy strategy "weighted". A replay with the
	// same seed draws the same order.
	Seed uint64
}

// Caller holds the properties of the key and its account that decisions depend on.
type Caller struct {
	AccountID string
	KeyID     string
	Tags      []string
	// Models lists the models and routes that the key may use; empty means all.
	Models []string
	// MaySwapModel allows another model to serve a request for an explicit model.
	MaySwapModel bool
	// Baseline is the model whose cost is the reference for savings. Empty means the
	// policy's baseline.
	Baseline string
}

// Candidate is a model at a provider that could serve a request, with a reasoning effort
// where the policy or the client sets one.
type Candidate struct {
	Model    string
	Provider string
	// Effort is empty if the model's default or the client's own effort applies.
	Effort string
}

// Endpoint returns the candidate without its effort. Health, limits and caches do not depend
// on the effort.
func (c Candidate) Endpoint() Candidate { return Candidate{Model: c.Model, Provider: c.Provider} }

// isAt reports whether the candidate is at the endpoint of other, with any effort. Most names
// of models differ in their length or at their end, so that few of them are compared
// completely.
func (c *Candidate) isAt(other *Candidate) bool {
	end := len(c.Model) - 1
	return end == len(other.Model)-1 && (end < 0 || c.Model[end] == other.Model[end]) && c.Model == other.Model && c.Provider == other.Provider
}

// Name returns the model with its effort, such as gpt-x#low.
func (c Candidate) Name() string { return policy.JoinEffort(c.Model, c.Effort) }

// Health reports the health of candidates as of one time. The candidates have no effort.
type Health interface {
	// DownReason returns why a candidate is down, or "" if it is up. A reason with
	// the prefix OverLimit means that the provider is at a limit, and one with the prefix
	// Drained that an operator has drained the candidate. Any other reason means that a
	// breaker is open.
	DownReason(candidate Candidate) string
	// Latency returns the expected time to the first token in microseconds; 0 means
	// unknown.
	Latency(candidate Candidate) int64
}

// AllHealthy is a Health in which every candidate is up and no latency is known.
type AllHealthy struct{}

// DownReason returns "".
func (AllHealthy) DownReason(Candidate) string { return "" }

// Latency returns 0.
func (AllHealthy) Latency(Candidate) int64 { return 0 }

// Decision is a plan with its explanation.
type Decision struct {
	// Plan lists the candidates in the order to try them. It is empty only in a
	// RejectedDecision.
	Plan []Candidate
	// HealthyFirst would be the first choice if every provider were healthy.
	HealthyFirst Candidate
	Reason       Reason
	// PolicyControlled is set when a rule with conditions chose the plan. It is also
	// set when the key's list of models, a requirement of the route or of a rule, or an
	// operator's drain excluded the candidate that would otherwise be first.
	PolicyControlled bool
	// Verdicts has one entry per candidate, in ranking order.
	Verdicts []Verdict
	// Baseline is the model that the caller would use without routing.
	Baseline       string
	PolicyVersion  string
	CatalogVersion string
	EngineVersion  string
	// Features, Sticky, Qualities and Predictor are copied from the question, because
	// a replay needs them.
	Features  NamedValues
	Sticky    *Candidate
	Qualities NamedValues
	Predictor string
}

// Reason explains the first choice of a plan.
type Reason struct {
	Code string
	Text string
	Rule string
}

// Reason codes.
const (
	ReasonExplicit = "EXPLICIT_MODEL"
	ReasonOrdered  = "FIRST_ELIGIBLE"
	ReasonFallback = "FALLBACK_AFTER_FILTERS"
	ReasonTarget   = "RULE_TARGET"
	ReasonCheapest = "CHEAPEST"
	ReasonQuality  = "BEST_QUALITY"
	ReasonFastest  = "FASTEST"
	ReasonBalanced = "BALANCED"
	ReasonWeighted = "WEIGHTED"
	ReasonSticky   = "STICKY"
	ReasonToolLoop = "TOOL_LOOP"

	ReasonAimQuality  = "AIM_QUALITY"
	ReasonAimCost     = "AIM_COST"
	ReasonAimBalanced = "AIM_BALANCED"
)

// Verdict is the result for one candidate: its position in the plan, or why it
// was excluded.
type Verdict struct {
	Candidate Candidate
	Code      string
	Text      string
	// PredictedCost is in nano-USD. It is unknown for a model without a price.
	PredictedCost OptionalInt
	// SessionCost is the expected cost in nano-USD of this request and of the expected
	// rest of its session. It is unknown for a request without a session and for a model
	// without a price.
	SessionCost OptionalInt
	// OutputTokens is the expected length of the response, including its reasoning. It is 0
	// for a model without a price.
	OutputTokens int64
	// Latency is the expected time to the first token in microseconds; 0 means
	// unknown.
	Latency int64
	// Quality is the expected quality in thousandths.
	Quality int64
	// DownReason is why the candidate was down; "" when it was up.
	DownReason string
}

// Verdict codes.
const (
	Chosen            = "CHOSEN"
	Fallback          = "FALLBACK"
	MissingCapability = "MISSING_CAPABILITY"
	ContextTooSmall   = "CONTEXT_TOO_SMALL"
	OtherProtocol     = "PROTOCOL"
	OtherIssuer       = "ISSUER"
	NotAllowed        = "NOT_ALLOWED"
	ExcludedByRule    = "EXCLUDED_BY_RULE"
	BelowQuality      = "BELOW_QUALITY"
	AboveCost         = "ABOVE_COST"
	Unhealthy         = "UNHEALTHY"
	OverMaxCost       = "OVER_MAX_COST"
	OverLimit         = "OVER_LIMIT"
	Drained           = "DRAINED"
)
