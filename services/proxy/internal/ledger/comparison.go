package ledger

import (
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/decide"
)

// ComparisonResult is how a comparison ended.
type ComparisonResult string

// The results. Only Judged has a score.
const (
	Judged             ComparisonResult = "judged"
	CandidateFailed    ComparisonResult = "candidate_failed"
	CandidateTruncated ComparisonResult = "candidate_truncated" // its response reached the limit of output tokens
	JudgeFailed        ComparisonResult = "judge_failed"
	JudgeUnclear       ComparisonResult = "judge_unclear"    // the judge gave no verdict
	OverBudget         ComparisonResult = "over_budget"      // the daily limit did not cover the judge
	ProviderLimited    ComparisonResult = "provider_limited" // a provider is near the limits that the policy sets
	ComparisonStopped  ComparisonResult = "stopped"          // the proxy stopped, an overload ended the comparison, or the account no longer allows it
	ComparisonAborted  ComparisonResult = "aborted"          // the proxy crashed
)

// Comparison is the stored information about one comparison of an experiment. It contains
// no text. Its costs belong to the experiment and to no request.
type Comparison struct {
	ID uuid.UUID
	// RequestID is the request of the client.
	RequestID uuid.UUID
	AccountID string
	KeyID     string
	KeyName   string
	Time      time.Time
	// PolicyVersion is the version of the policy with the experiment.
	PolicyVersion string
	Experiment    string
	// Task is the kind of task of the request, such as code.
	Task                     string
	Served, Candidate, Judge decide.Candidate
	Result                   ComparisonResult
	// Score is from -1000 (the served response is better) to 1000 (the candidate is better).
	Score int64
	// Consistent means that the judge gave the same verdict with the responses swapped.
	Consistent               bool
	CandidateCost, JudgeCost Amount
	// Estimated means that the provider did not report all token counts.
	Estimated bool
	// Code is the error code of the call that failed.
	Code    string
	Latency time.Duration
}

// StartComparison writes the START frame, before the first call. If the proxy crashes, this
// frame is all that remains of the comparison. CandidateCost must be the minimum cost then.
func (w *Writer) StartComparison(c *Comparison) error {
	return w.spool.Start(c.ID, w.codec.AppendComparison(make([]byte, w.headroom), c))
}

// FinishComparison writes the END frame.
func (w *Writer) FinishComparison(c *Comparison) error {
	err := w.spool.End(c.ID, w.codec.AppendComparison(make([]byte, w.headroom), c))
	if err != nil {
		w.spool.Forget(c.ID)
	}
	return err
}
