package dispatch

import (
	"cmp"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/tokens"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// estimate is the expected token usage of an attempt until the upstream reports it.
type estimate struct {
	source    tokens.Source
	tokenizer string
	// input is the estimate of the input tokens for this candidate.
	input int64
	// outputRatio converts estimates of the output tokens to the upstream's count.
	outputRatio tokens.Ratio
	// outputTokens is the unscaled estimate of the output tokens.
	outputTokens int64
}

func newEstimate(job *Job, candidate decide.Candidate) estimate {
	c := estimate{source: tokens.Source{Provider: candidate.Provider, Family: candidate.Model}}
	if m, ok := job.Policy.Model(candidate.Model); ok {
		c.source.Family = cmp.Or(m.Family, m.ID)
		c.tokenizer = m.Tokenizer
	}
	input, output := job.Tokens.Ratios(c.source)
	c.input, c.outputRatio = input.Scale(job.Request.InputTokens), output
	return c
}

// EstimateInputTokens estimates how many tokens a candidate counts for the
// request's input.
func EstimateInputTokens(learned *tokens.Learner, p *policy.Policy, candidate decide.Candidate, req *requestbody.Request) int64 {
	return newEstimate(&Job{Request: req, Policy: p, Tokens: learned}, candidate).input
}

// learn compares the reported usage of a complete response with the estimate. If the
// usage is itself an estimate, it schedules a count with the model's tokenizer.
func (c *estimate) learn(job *Job, a *ledger.Attempt, err error) {
	switch u := a.Usage; {
	case u == nil:
	case a.Estimated:
		job.Tokens.QueueExactCount(c.source, c.tokenizer, func() string { return job.Request.Excerpt(tokens.MaxExactBytes) })
	case err == nil:
		c.learnRatios(job, u)
	}
}

func (c *estimate) learnRatios(job *Job, u *catalog.Usage) {
	if !job.Request.HasMedia() {
		job.Tokens.LearnInput(c.source, job.Request.InputTokens, u.Input+u.CacheRead+u.CacheWrite)
	}
	if u.Reasoning == 0 {
		job.Tokens.LearnOutput(c.source, c.outputTokens, u.Output)
	}
}
