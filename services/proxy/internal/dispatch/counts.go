package dispatch

import (
	"cmp"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
	"github.com/signalbox/signalbox/services/proxy/internal/tokens"
)

// counts is what an attempt is taken to use until it reports it.
type counts struct {
	source    tokens.Source
	tokenizer string
	// input is the request's as this target probably counts it; output is what
	// an estimate of the output is scaled by, and text that estimate.
	input  int64
	output tokens.Ratio
	text   int64
}

func countsOf(job Job, target decide.Target) counts {
	c := counts{source: tokens.Source{Provider: target.Provider, Family: target.Model}}
	if m, ok := job.Policy.Model(target.Model); ok {
		c.source.Family = cmp.Or(m.Family, m.ID)
		c.tokenizer = m.Tokenizer
	}
	input, output := job.Tokens.Ratios(c.source)
	c.input, c.output = input.Of(job.Request.InputTokens), output
	return c
}

// InputAt is about how many tokens a request's input is to a target.
func InputAt(learned *tokens.Learner, p *policy.Policy, target decide.Target, req *openai.Request) int64 {
	return countsOf(Job{Request: req, Policy: p, Tokens: learned}, target).input
}

// learn compares what was reported with what was expected. Only a whole answer
// says anything; one without a report is counted instead, later, where we can.
func (c *counts) learn(job Job, a *ledger.Attempt, err error) {
	switch u := a.Usage; {
	case u == nil:
	case a.Estimated:
		job.Tokens.Count(c.source, c.tokenizer, func() string { return job.Request.Excerpt(tokens.MaxPiece) })
	case err == nil:
		c.compare(job, u)
	}
}

func (c *counts) compare(job Job, u *catalog.Usage) {
	if !job.Request.Media() {
		job.Tokens.LearnInput(c.source, job.Request.InputTokens, u.Input+u.CacheRead+u.CacheWrite)
	}
	if u.Reasoning == 0 {
		job.Tokens.LearnOutput(c.source, c.text, u.Output)
	}
}
