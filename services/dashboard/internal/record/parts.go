package record

// Reason says why the plan is what it is.
type Reason struct{ Code, Text, Rule string }

// Tokens are disjoint, except that reasoning is a part of the output and what
// is cached for an hour one of what is cached.
type Tokens struct{ Input, CacheRead, CacheWrite, CacheWrite1h, Output, Reasoning int64 }

// Attempt is one call to one upstream; its times count from the record's.
type Attempt struct {
	Provider, Model     string
	Status              int32
	Code                string
	Started, First, End int64
	// Tokens is nil when nothing is known to have been used.
	Tokens            *Tokens
	Cost              *int64
	Costs             *Costs
	Price             *Price
	CostBasis         Basis
	UpstreamRequestID string
	// Dropped names the fields of the request that the upstream was not given.
	Dropped []string
	// UsageDifference is by how many tokens the upstream's total exceeds ours,
	// Reported what it says that the call costs, in nano-USD; nil when it does
	// not.
	UsageDifference int64
	Reported        *int64
}

// Costs are nano-USD by bucket, which add up to a cost. They are nil where that
// is, and on records older than they are.
type Costs struct{ Input, CacheRead, CacheWrite, Output int64 }

// Price is what a token cost when the request was made, in pico-USD.
type Price struct {
	Input, CacheRead, CacheWrite, CacheWrite1h, Output int64
	// Effective is the day from which on it held; empty when always.
	Effective string
}

// Candidate is a target that could have served, and what became of it.
type Candidate struct {
	Model, Provider, Verdict, Text string
	Predicted                      *int64
	// Latency is the expected time to the first token, 0 when unknown; Quality
	// is in thousandths; Down is why it was down, empty when it was not.
	Latency, Quality int64
	Down             string
}

// Inputs are what a decision was made from, beside what the record says anyway
// and the states of its candidates.
type Inputs struct {
	Needs                        []string
	InputTokens, MaxOutputTokens int64
	Tags, Models                 []string
	MaySwapModel                 bool
	BaselineModel                string
	// At is in seconds since 1970; 0 when unknown.
	At int64
	// BudgetUsed is in thousandths of the budget; nil when there was none.
	BudgetUsed *int64
	Metadata   map[string]string
	// Sticky is where the conversation had been served; empty when unknown.
	StickyModel, StickyProvider string
	Seed                        uint64
	Predictor                   string
	// Qualities are predicted, in thousandths, by model.
	Qualities map[string]int64
}

// Content is what was captured, each part cut at the capture limit, with its
// length before the cut.
type Content struct {
	Request, Response           []byte
	RequestBytes, ResponseBytes int64
}
