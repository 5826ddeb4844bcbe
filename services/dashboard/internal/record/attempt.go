package record

// Reason says why the router chose the candidates of a request, and why in this
// order. Rule is the policy rule that decided. It is empty if no rule decided.
type Reason struct{ Code, Text, Rule string }

// Tokens counts tokens by kind. No token is counted twice, with two exceptions:
// Reasoning is part of Output, and CacheWrite1h is part of CacheWrite.
type Tokens struct{ Input, CacheRead, CacheWrite, CacheWrite1h, Output, Reasoning int64 }

// Attempt is one attempt to call an upstream. Code is its error code, which is
// empty if the attempt succeeded. For some codes no call was made (see isSkipped).
// Started, FirstToken and Ended are in microseconds since the record's Time.
type Attempt struct {
	Provider, Model, Effort    string
	Status                     int32
	Code                       string
	Started, FirstToken, Ended int64
	// Tokens is nil if the attempt is not known to have used tokens.
	Tokens            *Tokens
	Cost              *int64
	Costs             *Costs
	Price             *Price
	CostBasis         CostBasis
	UpstreamRequestID string
	// DroppedParams names the request fields that were not sent to the upstream.
	DroppedParams []string
	// UsageDifference is the upstream's token total minus the sum of Tokens.
	UsageDifference int64
	// ReportedCost is the cost that the upstream reported, in nano-USD. It is nil
	// if the upstream reported no cost.
	ReportedCost *int64
	// Unpriced names what the upstream charges in addition to Tokens and the catalog
	// has no price for. Then Cost is an estimate.
	Unpriced []string
}

// Costs splits a cost by kind of token, in nano-USD. The parts add up to the
// cost. A nil *Costs means that the cost is unknown, or that the record was
// written before costs were split.
type Costs struct{ Input, CacheRead, CacheWrite, Output int64 }

// Price is the price per token at the time of the request, in pico-USD.
type Price struct {
	Input, CacheRead, CacheWrite, CacheWrite1h, Output int64
	// Effective is the first day on which the price applied; empty if always.
	Effective string
}

// Candidate is a model at a provider that the router considered for the request. Effort is its
// reasoning effort, or empty.
// Verdict is a code: first choice, fallback, or the reason why the candidate was
// excluded. Text explains the verdict.
type Candidate struct {
	Model, Provider, Effort string
	Verdict, Text           string
	PredictedCost           *int64
	// SessionCost is the expected cost in nano-USD of the request and of the expected rest
	// of its session. It is nil if the request had no session or the price is unknown.
	SessionCost *int64
	// OutputTokens is the expected length of the response, including its reasoning. It is 0
	// if it is unknown.
	OutputTokens int64
	// Latency is the expected time to the first token in microseconds, 0 if
	// unknown.
	Latency int64
	// Quality is the expected quality in thousandths.
	Quality int64
	// DownReason says why the candidate was unavailable. It is empty if the
	// candidate was available.
	DownReason string
}

// DecisionInputs are the inputs of a decision that are not already fields of
// the record or of its candidates. A replay needs them to repeat the decision.
type DecisionInputs struct {
	// Needs lists the capabilities that the request needs.
	Needs                        []string
	InputTokens, MaxOutputTokens int64
	// Tags are the tags of the key.
	Tags []string
	// Models lists the models and routes that the key may use; empty means all.
	Models []string
	// MaySwapModel is true if another model may serve a request for an explicit
	// model.
	MaySwapModel bool
	// BaselineModel is set by the key or the account. If it is empty, the policy's
	// baseline model applies.
	BaselineModel string
	// At is the time of the decision in Unix seconds; 0 if unknown.
	At int64
	// BudgetUsed is the used part of the budget in thousandths; nil without a
	// budget.
	BudgetUsed *int64
	Metadata   map[string]string
	// StickyModel and StickyProvider name the candidate that was last chosen for the
	// same conversation; empty if unknown.
	StickyModel, StickyProvider string
	// Seed is the seed of the random parts of the decision.
	Seed uint64
	// Predictor is the name and version of the quality predictor. It is empty if no
	// predictor was used.
	Predictor string
	// Qualities are the predicted qualities by model, in thousandths.
	Qualities map[string]int64
	// NativeProtocol is the protocol of the client; empty for chat completions.
	NativeProtocol string
	// NativeOnly names the parts of the request that only a provider of NativeProtocol
	// can serve.
	NativeOnly []string
	// Issuer is the provider that stores an object to which the request refers; empty
	// without one.
	Issuer string
	// MaxCost is the most that the request was allowed to cost, in nano-USD; nil without a
	// limit.
	MaxCost *int64
	// OwnEffort means that the request set its own reasoning effort.
	OwnEffort bool
	// Session is what was known of the session; nil if the request had none.
	Session *SessionState
}

// SessionState is what was known of a session when a request of it arrived.
type SessionState struct {
	// LastModel and LastProvider served the last turn; empty if no turn was served.
	LastModel, LastProvider string
	// LastAt is when the last turn ended, in Unix seconds.
	LastAt int64
	// Turns is the number of turns that were served.
	Turns int64
	// ToolLoop means that the request contained the result of a tool that the last turn
	// called. SideCall means that it was a side call. MarksCache means that it marked what
	// the provider shall cache.
	ToolLoop, SideCall, MarksCache bool
	// AddedTokens and OutputTokens are averages of one turn.
	AddedTokens, OutputTokens int64
	// Cached is what providers had cached, the newest first.
	Cached []CachedPrefix
}

// CachedPrefix is the start of a conversation that a provider had cached until Expires, in
// Unix seconds.
type CachedPrefix struct {
	Model, Provider string
	Tokens, Expires int64
}

// Content is the captured text of a request and its response. Each of the two is
// truncated at the capture limit. RequestBytes and ResponseBytes are the lengths
// before truncation.
type Content struct {
	Request, Response           []byte
	RequestBytes, ResponseBytes int64
}
