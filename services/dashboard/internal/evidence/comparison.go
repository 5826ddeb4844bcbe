package evidence

import (
	"time"

	"github.com/google/uuid"
)

// Comparison is the result of an experiment on one request: how the response of another
// candidate compares with the served one. It contains no text.
type Comparison struct {
	ID        uuid.UUID
	AccountID string
	RequestID uuid.UUID
	// Experiment is the name of the experiment in the policy of that version.
	Experiment, PolicyVersion string
	Task                      string
	Served, Candidate, Judge  Responder
	// Result is ResultJudged, or why there is no verdict.
	Result string
	// Score is from -1000 (the served response is better) to 1000 (the candidate is better).
	Score int64
	// Consistent means that the judge gave the same verdict with the responses swapped.
	Consistent bool
	// CandidateCost and JudgeCost are in nano-USD; nil if a price is unknown. They belong to
	// the experiment, and to no request.
	CandidateCost, JudgeCost *int64
	// Estimated means that the provider did not report all token counts.
	Estimated bool
	// Code is the error code of the call that failed; empty if none did.
	Code    string
	Created time.Time
}

// Responder is a model at a provider. Effort is empty if it has none.
type Responder struct{ Model, Provider, Effort string }

// The results that this package interprets.
const (
	ResultJudged  = "judged"
	ResultAborted = "aborted" // the proxy crashed during the comparison
)
