package api

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/proxy/internal/control"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
	"github.com/signalbox/signalbox/services/proxy/internal/spool"
)

func (e *edge) chat(x *exchange)       { e.serve(x, "chat", openai.ParseChat) }
func (e *edge) embeddings(x *exchange) { e.serve(x, "embeddings", openai.ParseEmbeddings) }

// serve is a request's whole life: principal, body, plan, attempts, record.
func (e *edge) serve(x *exchange, scope string, parse func([]byte) (*openai.Request, error)) {
	req, plan, err := e.prepare(x, scope, parse)
	if err != nil {
		e.refuse(x, err)
		return
	}
	if err := e.begin(x, req, plan); err != nil {
		e.refuse(x, err)
		return
	}
	x.out = &x.stream
	x.out.x, x.out.plan, x.out.every = x, plan, e.KeepAlive.Every
	limit, held := e.captureLimit(x)
	if limit > 0 && req.Stream {
		x.transcript = openai.NewTranscript(held)
	}
	res := e.run(x, req, plan)
	defer res.Release()
	e.note(x, plan, res)
	e.keep(x, req, res, limit)
	defer func() { e.Done(x.record) }()
	e.answer(x, plan, req, res)
}

// begin reserves what the request will probably use, and then notes that it is
// about to reach an upstream.
func (e *edge) begin(x *exchange, req *openai.Request, plan control.Plan) error {
	input := dispatch.InputAt(e.Tokens, plan.Policy, plan.Plan[0], req)
	if x.pass != nil {
		tokens, nanoUSD := expected(plan, req, input, x.began)
		if err := x.pass.Reserve(x.r.Context(), tokens, nanoUSD); err != nil {
			return x.orGone(err)
		}
	}
	err := e.Book.Open(x.record, prices{x.policy}, input)
	if errors.Is(err, spool.ErrFull) {
		return overloaded("the gateway cannot record any more requests at the moment; try again shortly")
	}
	if err != nil {
		// The record is still written at the end; only the note that would
		// survive a crash is missing.
		e.Log.Error("the start of a request could not be noted", "request_id", x.name, "error", err)
	}
	return nil
}

func (e *edge) run(x *exchange, req *openai.Request, plan control.Plan) dispatch.Result {
	if req.Stream && e.KeepAlive.After > 0 {
		x.out.keepAlive(e.KeepAlive.After)
		defer x.out.quiet()
	}
	return dispatch.Run(x.r.Context(), dispatch.Job{
		ID: x.name, Began: x.began, Request: req, Plan: plan.Plan,
		Policy: plan.Policy, Providers: e.Providers(plan.Policy), Transcript: x.transcript, Tokens: e.Tokens, Breakers: e.Breakers, Limits: e.Keeper,
	}, x.out)
}

func (e *edge) prepare(x *exchange, scope string, parse func([]byte) (*openai.Request, error)) (*openai.Request, control.Plan, error) {
	if err := e.admit(x, scope); err != nil {
		return nil, control.Plan{}, err
	}
	if err := e.pass(x); err != nil {
		return nil, control.Plan{}, err
	}
	body, err := e.body(x)
	if err != nil {
		return nil, control.Plan{}, err
	}
	req, err := parse(body)
	if err != nil {
		return nil, control.Plan{}, err
	}
	x.record.Kind, x.record.Stream = req.Kind, req.Stream
	began := time.Now()
	q := question(x, req)
	x.question = e.recorded(x, q)
	x.record.Question = &x.question
	plan, err := e.Router.Plan(x.r.Context(), q, req)
	x.record.RouteTime = time.Since(began)
	if err != nil {
		x.record.RequestedModel = e.asked(x, req)
		x.record.Decision = e.refusal(x, plan.Decision, err)
		return nil, control.Plan{}, err
	}
	x.record.RequestedModel, x.record.Decision, x.policy = req.Model, plan.Decision, plan.Policy
	return req, plan, nil
}

func question(x *exchange, req *openai.Request) decide.Question {
	p := x.principal
	return decide.Question{
		Kind:            req.Kind,
		Model:           req.Model,
		Needs:           req.Needs,
		InputTokens:     req.InputTokens,
		MaxOutputTokens: req.MaxOutputTokens,
		Features:        req.Features,
		At:              x.began.UTC().Truncate(time.Minute),
		BudgetUsed:      x.pass.BudgetUsed(),
		Metadata:        req.Metadata,
		Seed:            binary.BigEndian.Uint64(x.id[8:]),
		Asker: decide.Asker{
			AccountID: p.AccountID, KeyID: p.KeyID, Tags: p.Tags, Models: p.Models,
			MaySwapModel: p.MaySwapModel, Baseline: p.Baseline,
		},
	}
}

// refusal is what is kept of a decision by which the request was refused: what
// is known of it, and the rule if one did it.
func (e *edge) refusal(x *exchange, known *decide.Decision, err error) *decide.Decision {
	a := apperr.From(err)
	rule, ok := a.Details["rule"].(string)
	if p := e.Router.Policy(); known == nil && ok && p != nil {
		known = decide.Refused(p, x.record.Question)
	}
	if known != nil && ok {
		known.Reason = decide.Reason{Code: string(a.Code), Text: a.Message, Rule: rule}
	}
	return known
}

// refuse answers a request that reached no upstream.
func (e *edge) refuse(x *exchange, err error) {
	e.refusedBy(err)
	e.conclude(x, err)
	if apperr.Is(err, apperr.ClientCancelled) {
		abort()
	}
	x.fail(err)
}

// answer writes the record and then the last of the response, in this order:
// what a client has seen answered is in the book.
func (e *edge) answer(x *exchange, plan control.Plan, req *openai.Request, res dispatch.Result) {
	e.close(x)
	switch {
	case apperr.Is(res.Err, apperr.ClientCancelled):
		abort()
	case res.Err != nil && !x.committed:
		x.fail(res.Err)
	case res.Err != nil:
		x.out.fail(res.Err)
	case req.Stream:
		x.out.sendLast(res.Last)
	default:
		x.tellServed(plan, res.Served, res.Dropped)
		x.send(res.Answer.Body, x.record.Cost)
	}
}
