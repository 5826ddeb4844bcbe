package api

import (
	"cmp"
	"encoding/binary"
	"errors"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/control"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/spool"
)

func (e *edge) serveRequest(x *exchange) {
	req, plan, err := e.prepareRequest(x)
	if err != nil {
		e.reject(x, err)
		return
	}
	if err := e.reserveAndStart(x, req, plan); err != nil {
		e.reject(x, err)
		return
	}
	x.out = &x.stream
	x.out.x, x.out.plan, x.out.keepAliveInterval, x.out.keepAlive = x, plan, e.KeepAlive.Every, x.route.keepAlive()
	limit, transcriptLimit := e.captureLimit(x)
	if limit > 0 && req.Stream {
		x.transcript = normalize.NewTranscript(transcriptLimit)
	}
	res := e.dispatchRequest(x, req, plan)
	defer res.Release()
	e.recordResult(x, plan, res)
	e.captureContent(x, req, res, limit)
	defer func() { e.RecordDone(x.record) }()
	e.respond(x, plan, req, res)
	e.offerSample(x, req, res)
}

// reserveAndStart reserves the estimated tokens and cost of the request in its limits. Then
// it writes the START frame of the record to the spool. If the process crashes, the next
// process finds the START frame and records the request as aborted.
func (e *edge) reserveAndStart(x *exchange, req *requestbody.Request, plan control.Plan) error {
	input := dispatch.EstimateInputTokens(e.Tokens, plan.Policy, plan.Plan[0], req)
	if x.admission != nil {
		tokens, nanoUSD := estimateUse(plan, req, input, x.startedAt)
		if err := x.admission.Reserve(x.r.Context(), tokens, nanoUSD); err != nil {
			return x.orCancelled(err)
		}
	}
	err := e.Ledger.Start(x.record, prices{x.policy}, input)
	if errors.Is(err, spool.ErrFull) {
		return overloadedError("the gateway cannot record more requests at the moment; try again shortly")
	}
	if err != nil {
		// The complete record is still written at the end. The request is missing from
		// the ledger if the process crashes before that.
		e.Log.Error("START frame of the record not written", "request_id", x.requestID, "error", err)
	}
	return nil
}

func (e *edge) dispatchRequest(x *exchange, req *requestbody.Request, plan control.Plan) *dispatch.Result {
	if req.Stream && e.KeepAlive.After > 0 {
		x.out.startKeepAlive(e.KeepAlive.After)
		defer x.out.stopKeepAlive()
	}
	ctx, stop := e.untilRevoked(x)
	defer stop()
	job := dispatch.Job{
		ID: x.requestID, StartedAt: x.startedAt, Request: req, Question: &x.question, Plan: plan.Plan,
		Trace: x.record.Trace, SendTrace: e.SendTrace,
		Policy: plan.Policy, Providers: e.Providers(plan.Policy), Transcript: x.transcript, Tokens: e.Tokens, Breakers: e.Breakers, Limits: e.Limiter,
	}
	if job.Protocol = x.route.protocol; job.Protocol != nil {
		job.Header, job.Query = forwardedHeader(req.Protocol, x.r.Header), forwardedQuery(req.Protocol, x.r.URL)
		job.FeatureHeaders = requestedFeatures(req.Protocol, x.r.Header)
		job.Account, job.Stored = x.principal.AccountID, x.stored
		job.UnpricedFeatures = unpricedFeatures(req.Protocol, x.r.Header)
	}
	return dispatch.Run(ctx, job, x.out)
}

// readRequest admits the request and reads and parses its body.
func (e *edge) readRequest(x *exchange) (*requestbody.Request, error) {
	if err := e.admit(x, x.route.scope); err != nil {
		return nil, err
	}
	e.startSession(x)
	if err := e.enterLimits(x); err != nil {
		return nil, err
	}
	body, err := e.readBody(x)
	if err != nil {
		return nil, err
	}
	return x.route.parse(body)
}

func (e *edge) prepareRequest(x *exchange) (*requestbody.Request, control.Plan, error) {
	req, err := e.readRequest(x)
	if err != nil {
		return nil, control.Plan{}, err
	}
	x.record.Kind, x.record.Protocol, x.record.Stream = req.Kind, req.Protocol, req.Stream
	if x.stored, err = e.findStored(x, req); err != nil {
		x.record.RequestedModel = e.storableModel(x, req)
		return nil, control.Plan{}, err
	}
	began := time.Now()
	x.record.RoutingStarted = began.Sub(x.startedAt)
	readOptions(x.record.Trace, req)
	cost, err := parseMaxCost(x.r.Header)
	if err != nil {
		x.record.RequestedModel = e.storableModel(x, req)
		return nil, control.Plan{}, err
	}
	known := e.findSession(x, req)
	chosen := e.choosePolicy(x)
	releaseIssuerState(chosen, req)
	q := newQuestion(x, req)
	q.MaxCost, q.Session = cost, known
	x.question = e.storableQuestion(x, q)
	x.record.Question = &x.question
	plan, err := e.Router.Plan(x.r.Context(), chosen, q, req)
	x.record.RoutingTime = time.Since(began)
	if err != nil {
		x.record.RequestedModel = e.storableModel(x, req)
		x.record.Decision = e.rejectionDecision(x, plan.Decision, err)
		return nil, control.Plan{}, err
	}
	x.record.RequestedModel, x.record.Decision, x.policy = req.Model, plan.Decision, plan.Policy
	return req, plan, nil
}

// choosePolicy returns the policy for the request, nil if there is none yet, and records the
// rollout.
func (e *edge) choosePolicy(x *exchange) *policy.Policy {
	c := e.Router.Choose(x.principal.AccountID, cmp.Or(x.session.ID, x.principal.KeyID))
	x.record.Rollout, x.chosen = c.Rollout, c.Policy
	return c.Policy
}

// releaseIssuerState lets every candidate serve the request if its route strips issuer-bound
// reasoning.
func releaseIssuerState(p *policy.Policy, req *requestbody.Request) {
	if p == nil || len(req.NativeOnly) == 0 {
		return
	}
	if r, _ := p.Route(req.Model, req.Kind); r.StripsIssuerState() {
		req.ReleaseIssuerState()
	}
}

func newQuestion(x *exchange, req *requestbody.Request) decide.Question {
	p := x.principal
	q := req.Question()
	q.At = x.startedAt.UTC().Truncate(time.Minute)
	q.BudgetUsed = x.admission.BudgetUsed()
	q.Seed = binary.BigEndian.Uint64(x.id[8:])
	q.Caller = decide.Caller{
		AccountID: p.AccountID, KeyID: p.KeyID, Tags: p.Tags, Models: p.Models,
		MaySwapModel: p.MaySwapModel, Baseline: p.Baseline,
	}
	if x.stored != nil {
		q.Issuer = x.stored.Claim.Provider
	}
	return q
}

// rejectionDecision returns the decision for the record of a rejected request. It contains
// the known parts of the decision. If a policy rule rejected the request, the reason names
// that rule.
func (e *edge) rejectionDecision(x *exchange, known *decide.Decision, err error) *decide.Decision {
	a := apperr.From(err)
	rule, ok := a.Details["rule"].(string)
	if p := e.policyOf(x); known == nil && ok && p != nil {
		known = decide.RejectedDecision(p, x.record.Question)
	}
	if known != nil && ok {
		known.Reason = decide.Reason{Code: string(a.Code), Text: a.Message, Rule: rule}
	}
	return known
}

// reject records and sends the error of a request that reached no upstream.
func (e *edge) reject(x *exchange, err error) {
	e.reportRejection(err)
	e.recordFailure(x, err)
	if apperr.Is(err, apperr.ClientCancelled) {
		abort()
	}
	x.sendError(err)
}

// respond writes the record and then the end of the response. In this order, a crash cannot
// lose the record of a response that a client received completely.
func (e *edge) respond(x *exchange, plan control.Plan, req *requestbody.Request, res *dispatch.Result) {
	e.finishRecord(x)
	e.rememberRequest(x, req)
	switch {
	case apperr.Is(res.Err, apperr.ClientCancelled):
		abort()
	case res.Err != nil && !x.committed:
		x.sendError(res.Err)
	case res.Err != nil:
		x.out.sendError(res.Err, res.Errors)
	case req.Stream:
		x.out.sendLast(res.FinalFrames)
	default:
		x.setServedHeaders(plan, res.Served, res.Dropped)
		x.sendBody(res.Response.Body, x.record.Cost)
	}
}
