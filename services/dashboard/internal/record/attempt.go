package record

// Reason says why the router chose these candidates in this order. Rule is the
// policy rule that decided; empty if none did.
type Reason struct{ Code, Text, Rule string }

// Tokens are disjoint counts, with two exceptions: Reasoning is part of Output,
// and CacheWrite1h is part of CacheWrite.
type Tokens struct{ Input, CacheRead, CacheWrite, CacheWrite1h, Output, Reasoning int64 }

// Attempt is one call to one upstream. Started, FirstToken and Ended are in
// microseconds since the record's Time.
type Attempt struct {
	Provider, Model            string
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
	// UsageDifference is the upstream's token total minus ours.
	// ReportedCost is the cost that the upstream reports, in nano-USD; nil if it
	// reports none.
	UsageDifference int64
	ReportedCost    *int64
}

// Costs are nano-USD per token bucket and add up to a cost. They are nil if the
// cost is nil, and on records written before costs were split.
type Costs struct{ Input, CacheRead, CacheWrite, Output int64 }

// Price is the price per token at the time of the request, in pico-USD.
type Price struct {
	Input, CacheRead, CacheWrite, CacheWrite1h, Output int64
	// Effective is the first day on which the price applied; empty if always.
	Effective string
}

// Candidate is a model at a provider that could have served the request.
// Verdict is the code of its result: first choice, fallback, or the reason why
// it was excluded. Text explains the verdict.
type Candidate struct {
	Model, Provider, Verdict, Text string
	PredictedCost                  *int64
	// Latency is the expected time to the first token in microseconds, 0 if
	// unknown. Quality is in thousandths. DownReason says why the candidate was
	// unavailable; empty if it was available.
	Latency, Quality int64
	DownReason       string
}

// DecisionInputs are the inputs of a decision that are not already fields of
// the record or of its candidates. A replay needs them to repeat the decision.
type DecisionInputs struct {
	Needs                        []string
	InputTokens, MaxOutputTokens int64
	Tags, Models                 []string
	MaySwapModel                 bool
	BaselineModel                string
	// At is in Unix seconds; 0 if unknown.
	At int64
	// BudgetUsed is in thousandths of the budget; nil without a budget.
	BudgetUsed *int64
	Metadata   map[string]string
	// StickyModel and StickyProvider name the candidate that served the
	// conversation before; empty if unknown.
	StickyModel, StickyProvider string
	Seed                        uint64
	Predictor                   string
	// Qualities are predictions in thousandths, by model.
	Qualities map[string]int64
}

// Content is the captured text. Each part is truncated at the capture limit.
// RequestBytes and ResponseBytes are the lengths before truncation.
type Content struct {
	Request, Response           []byte
	RequestBytes, ResponseBytes int64
}
