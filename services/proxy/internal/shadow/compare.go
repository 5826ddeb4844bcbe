package shadow

import (
	"context"
	"errors"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/saturate"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// comparison is a sample that waits or runs. body and response are copies of the client's
// request and of the served response. They are never stored.
type comparison struct {
	experiment     *policy.Experiment
	policy         *policy.Policy
	body, response []byte
	toChat         func([]byte) ([]byte, error)
	outputTokens   int64
	record         ledger.Comparison

	budget *budget
	// isStarted means that the ledger has the START frame, but not the result.
	isStarted bool
}

func (c *comparison) size() int64 { return int64(len(c.body) + len(c.response)) }

// task is what a comparison needs for its calls.
type task struct {
	request *requestbody.Request
	// limitIsClients means that the client set the limit of output tokens.
	limitIsClients       bool
	conversation, served string
}

// prepare reads the texts of a comparison. It fails if the request cannot be repeated.
func (p *Pool) prepare(c *comparison) (t task, err error) {
	defer p.compute()()
	served, ok := parseServed(c.response)
	if !ok {
		return t, errNotRepeatable
	}
	chat := c.body
	if c.toChat != nil {
		if chat, err = c.toChat(c.body); err != nil {
			return t, err
		}
	}
	t = task{conversation: conversationText(chat), served: served.text}
	t.request, t.limitIsClients, err = buildRequest(chat, c.outputTokens)
	return t, err
}

// compare runs the comparison and writes its result.
func (p *Pool) compare(ctx context.Context, c *comparison) {
	t, err := p.prepare(c)
	if err != nil {
		p.counts.add(NotRepeatable)
		return
	}
	c.record.Time = time.Now()
	if !p.reserveFirst(ctx, c, t.request, len(t.conversation)+2*len(t.served)) {
		return
	}
	defer c.budget.close()
	if p.pace.Wait(ctx) != nil {
		p.counts.add(Stopping)
		return
	}
	if !p.isCurrent(c) { // before the ledger knows of it
		p.counts.add(NotAllowed)
		return
	}
	if !p.MayUse(ctx, c.record.KeyID) {
		p.counts.add(OptedOut)
		return
	}
	c.record.CandidateCost, c.record.JudgeCost, c.record.Estimated = c.minimumCost(t.request), ledger.Known(0), true
	if p.Ledger.StartComparison(&c.record) != nil {
		p.counts.add(NoSpool)
		return
	}
	c.isStarted = true
	c.record.CandidateCost, c.record.Estimated = ledger.Known(0), false
	c.record.Result = p.runCalls(ctx, c, &t)
	if ctx.Err() != nil {
		c.record.Result, c.record.Score, c.record.Consistent = ledger.ComparisonStopped, 0, false
	}
	p.finish(c)
}

// finish writes the result.
func (p *Pool) finish(c *comparison) {
	c.isStarted, c.record.Latency = false, time.Since(c.record.Time)
	if err := p.Ledger.FinishComparison(&c.record); err != nil {
		p.Log.Error("result of a comparison lost: write failed", "experiment", c.record.Experiment, "error", err)
	}
	p.counts.addResult(c.record.Result)
}

// reserveFirst reserves the highest cost of the candidate's call, and the expected cost of
// the judge, so that no candidate is called without a judge who can be paid.
func (p *Pool) reserveFirst(ctx context.Context, c *comparison, request *requestbody.Request, judgedBytes int) bool {
	first, err := highestCost(c.policy, c.record.Candidate, len(request.Body), request.MaxOutputTokens, c.record.Time)
	judge, judgeErr := highestCost(c.policy, c.record.Judge, judgedBytes+len(judgeInstructions)+len(rubricFor(c.experiment, c.record.Task)), c.judgeLimit(), c.record.Time)
	if err != nil || judgeErr != nil {
		p.counts.add(NoBudget)
		return false
	}
	if c.budget, err = p.openBudget(ctx, c.experiment); err == nil {
		err = c.budget.reserveUpTo(ctx, saturate.Sum(first, judge, judge))
	}
	if err != nil {
		if c.budget != nil {
			c.budget.close()
		}
		p.counts.add(NoBudget)
		return false
	}
	return true
}

// minimumCost is what the ledger shows if the proxy crashes now: the candidate has read the
// input.
func (c *comparison) minimumCost(request *requestbody.Request) ledger.Amount {
	price, ok := (prices{c.policy}).Price(c.record.Candidate, c.record.Time)
	if !ok {
		return ledger.Amount{}
	}
	return ledger.Known(catalog.Cost(price, catalog.Usage{Input: request.InputTokens}))
}

// judgeLimit returns the limit of output tokens for the judge.
func (c *comparison) judgeLimit() int64 {
	m, ok := c.policy.Model(c.record.Judge.Model)
	if !ok {
		return judgeOutputLimit
	}
	if e, ok := m.EndpointAt(c.record.Judge.Provider); ok && m.EndpointSupports(e, catalog.Reasoning) {
		return reasoningJudgeOutputLimit
	}
	return judgeOutputLimit
}

// runCalls calls the candidate and then the judge in both orders.
func (p *Pool) runCalls(ctx context.Context, c *comparison, t *task) ledger.ComparisonResult {
	response, err := p.call(ctx, c, c.record.Candidate, t.request, &c.record.CandidateCost)
	if err != nil {
		return c.failure(err, ledger.CandidateFailed)
	}
	if response.isTruncated && !t.limitIsClients {
		return ledger.CandidateTruncated
	}
	var verdicts [2]verdict
	for i, texts := range [2][2]string{{t.served, response.text}, {response.text, t.served}} {
		result := p.judge(ctx, c, t.conversation, texts, &verdicts[i])
		if result != ledger.Judged {
			return result
		}
	}
	c.record.Score, c.record.Consistent = scoreVerdicts(verdicts[0], verdicts[1])
	return ledger.Judged
}

// failure notes why a call failed. A provider near its limits was not called, nor was any after
// the account withdrew its permission.
func (c *comparison) failure(err error, result ledger.ComparisonResult) ledger.ComparisonResult {
	switch {
	case errors.Is(err, errProviderLimited):
		return ledger.ProviderLimited
	case errors.Is(err, errMayNotCall):
		return ledger.ComparisonStopped
	}
	c.record.Code = string(apperr.CodeOf(err))
	return result
}

var (
	errProviderLimited = errors.New("the provider is near its limits")
	errMayNotCall      = errors.New("the account or the policy no longer allows it, or clients need the gateway")
)

// judge lets the judge compare two responses.
func (p *Pool) judge(ctx context.Context, c *comparison, conversation string, texts [2]string, v *verdict) ledger.ComparisonResult {
	request, err := p.prepareJudgement(c, conversation, texts)
	if err != nil {
		return c.failure(err, ledger.JudgeFailed)
	}
	highest, err := highestCost(c.policy, c.record.Judge, len(request.Body), request.MaxOutputTokens, c.record.Time)
	if err != nil || c.budget.reserveUpTo(ctx, highest) != nil {
		return ledger.OverBudget
	}
	response, err := p.call(ctx, c, c.record.Judge, request, &c.record.JudgeCost)
	if err != nil {
		return c.failure(err, ledger.JudgeFailed)
	}
	if *v = parseVerdict(response.text); *v == unclear {
		return ledger.JudgeUnclear
	}
	return ledger.Judged
}

func (p *Pool) prepareJudgement(c *comparison, conversation string, texts [2]string) (*requestbody.Request, error) {
	defer p.compute()()
	return buildJudgement(rubricFor(c.experiment, c.record.Task), conversation, texts[0], texts[1], c.judgeLimit())
}

// call makes one call, and adds its cost to the record and to the budget.
func (p *Pool) call(ctx context.Context, c *comparison, to decide.Candidate, request *requestbody.Request, cost *ledger.Amount) (completion, error) {
	if !p.mayCall(ctx, c) {
		return completion{}, errMayNotCall
	}
	quota, err := dispatch.ReserveSpareQuota(ctx, p.Budgets, c.policy, to, request)
	if err != nil {
		return completion{}, errProviderLimited
	}
	defer quota.Release()
	highest, err := highestCost(c.policy, to, len(request.Body), request.MaxOutputTokens, c.record.Time)
	if err != nil {
		return completion{}, err
	}
	c.budget.spent = saturate.Add(c.budget.spent, highest) // until the real cost is known, also after a panic
	res := dispatch.Run(ctx, dispatch.Job{
		ID: c.record.ID.String(), StartedAt: time.Now(), Request: request, Plan: []decide.Candidate{to}, Policy: c.policy, Providers: p.Providers(c.policy),
	}, nil)
	defer res.Release()
	amount, charged, estimated := costOf(c.policy, res.Attempts, highest, c.record.Time)
	c.budget.spent = saturate.Add(c.budget.spent-highest, charged)
	c.record.Estimated = c.record.Estimated || estimated
	cost.Nano, cost.Known = saturate.Add(cost.Nano, amount.Nano), cost.Known && amount.Known
	quota.Settle(res.Usage.Total(), 0)
	if res.Err != nil {
		return completion{}, res.Err
	}
	response, ok := p.readCompletion(res.Response.Body)
	if !ok {
		return completion{}, apperr.New(apperr.ProviderInvalidResponse, "the response has no choice")
	}
	return response, nil
}

func (p *Pool) readCompletion(body []byte) (completion, bool) {
	defer p.compute()()
	return parseCompletion(body)
}

// compute waits until no other comparison reads or builds texts. The caller must call the
// returned function when it is done.
func (p *Pool) compute() (done func()) {
	p.computing.Lock()
	return p.computing.Unlock
}
