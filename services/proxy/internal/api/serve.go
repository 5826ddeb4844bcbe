package api

import (
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/control"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
)

const excerptBytes = 8 << 10

func (e *edge) chat(x *exchange)       { e.serve(x, "chat", openai.ParseChat) }
func (e *edge) embeddings(x *exchange) { e.serve(x, "embeddings", openai.ParseEmbeddings) }

// serve is a request's whole life: principal, body, plan, attempts, record.
func (e *edge) serve(x *exchange, scope string, parse func([]byte) (*openai.Request, error)) {
	req, plan, err := e.prepare(x, scope, parse)
	if err != nil {
		e.refuse(x, err)
		return
	}
	if err := e.Book.Open(x.record, prices{x.policy}, req.InputTokens); err != nil {
		// The record is still written at the end; only the note that would
		// survive a crash is missing.
		e.Log.Error("the start of a request could not be noted", "request_id", x.id.String(), "error", err)
	}
	out := &stream{x: x, plan: plan, capture: e.captureLimit(x)}
	res := dispatch.Run(x.r.Context(), dispatch.Job{
		ID: x.id.String(), Began: x.began, Request: req, Plan: plan.Plan,
		Policy: plan.Policy, Providers: e.Providers(plan.Policy),
	}, out)
	e.note(x, plan, res)
	e.capture(x, req, res, out)
	defer func() { e.Done(x.record) }()
	e.answer(x, plan, req, res, out)
}

func (e *edge) prepare(x *exchange, scope string, parse func([]byte) (*openai.Request, error)) (*openai.Request, control.Plan, error) {
	if err := e.admit(x, scope); err != nil {
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
	x.record.Kind, x.record.Stream, x.record.RequestedModel = req.Kind, req.Stream, req.Model
	began := time.Now()
	plan, err := e.Router.Plan(x.r.Context(), question(x, req), func() string { return req.Excerpt(excerptBytes) })
	x.record.RouteTime = time.Since(began)
	if err != nil {
		return nil, control.Plan{}, err
	}
	x.record.Decision, x.policy = plan.Decision, plan.Policy
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
		Asker: decide.Asker{
			AccountID: p.AccountID, KeyID: p.KeyID, Tags: p.Tags, Models: p.Models,
			MaySwapModel: p.MaySwapModel, Baseline: p.Baseline,
		},
	}
}

// refuse answers a request that reached no upstream.
func (e *edge) refuse(x *exchange, err error) {
	e.conclude(x, err)
	if apperr.Is(err, apperr.ClientCancelled) {
		abort()
	}
	x.fail(err)
}

// conclude writes the record of a request that ends in an error before any
// content; one without a record (no accepted key) is only logged.
func (e *edge) conclude(x *exchange, err error) {
	if x.record == nil || x.closed {
		if x.record == nil {
			e.Log.Info("request", "status", apperr.From(err).Code.Spec().Status, "code", string(apperr.CodeOf(err)))
		}
		return
	}
	x.record.Outcome = ledger.Rejected
	if apperr.From(err).Code.Spec().Status >= http.StatusInternalServerError {
		x.record.Outcome = ledger.Error
	}
	e.failed(x, err)
	e.close(x)
	e.Done(x.record)
}

func (e *edge) failed(x *exchange, err error) {
	a := apperr.From(err)
	x.record.Code, x.record.Message = string(a.Code), a.Message
	if !x.committed {
		x.record.Status = a.Code.Spec().Status
	}
	if a.Code == apperr.ClientCancelled {
		x.record.Outcome = ledger.ClientClosed
	}
	if a.Code == apperr.Internal {
		e.Log.Error("internal error", "request_id", x.id.String(), "error", err)
	}
}

// note puts what became of the request into its record.
func (e *edge) note(x *exchange, plan control.Plan, res dispatch.Result) {
	r := x.record
	r.Served, r.Attempts, r.Usage, r.Estimated = res.Served, res.Attempts, res.Usage, res.Estimated
	r.FirstToken = res.FirstToken
	r.Status = http.StatusOK
	switch {
	case res.Err == nil:
		r.Outcome = ledger.OK
	case res.Committed:
		r.Outcome = ledger.Interrupted
	default:
		r.Outcome = ledger.Error
	}
	if res.Err != nil {
		e.failed(x, res.Err)
	}
	if res.Served != (decide.Target{}) {
		r.Route = routeOf(plan, res.Served)
	}
}

// routeOf is the one rule of how a request was served.
func routeOf(plan control.Plan, served decide.Target) ledger.Route {
	switch {
	case plan.Failed || served != plan.HealthyFirst:
		return ledger.Fallback
	case plan.PolicyControlled:
		return ledger.Policy
	}
	return ledger.Expected
}

// close writes the record. When even that fails the client is still served:
// the loss is logged and counted, and the answer is not taken from whoever
// paid for it.
func (e *edge) close(x *exchange) {
	x.closed = true
	x.record.Latency = time.Since(x.began)
	if err := e.Book.Close(x.record, prices{x.policy}); err != nil {
		e.Log.Error("a record could not be written", "request_id", x.id.String(), "error", err)
	}
}

// answer writes the record and then the last of the response, in this order:
// what a client has seen answered is in the book.
func (e *edge) answer(x *exchange, plan control.Plan, req *openai.Request, res dispatch.Result, out *stream) {
	e.close(x)
	switch {
	case apperr.Is(res.Err, apperr.ClientCancelled):
		abort()
	case res.Err != nil && !res.Committed:
		x.fail(res.Err)
	case res.Err != nil:
		out.fail(res.Err)
	case req.Stream:
		_ = out.Send(res.Last)
	default:
		h := x.w.Header()
		servedHeaders(h, plan, res.Served)
		if c := x.record.Cost; c != nil {
			h.Set("X-Signalbox-Cost-Usd", catalog.USD(*c))
		}
		x.send(res.Answer.Body)
	}
}

func servedHeaders(h http.Header, plan control.Plan, served decide.Target) {
	h.Set("X-Signalbox-Model", served.Model)
	h.Set("X-Signalbox-Provider", served.Provider)
	h.Set("X-Signalbox-Route", string(routeOf(plan, served)))
	h.Set("X-Signalbox-Policy", plan.Decision.Policy)
}

// captureLimit is how much content may be kept. What is to be redacted is not
// kept at all as long as nothing redacts it.
func (e *edge) captureLimit(x *exchange) int {
	if x.principal.Capture != keys.CaptureFull || strings.EqualFold(x.r.Header.Get("X-Signalbox-Capture"), "none") {
		return 0
	}
	return e.CaptureLimit
}

func stack() string { return string(debug.Stack()) }

// prices are those of a policy; without one nothing is priced.
type prices struct{ policy *policy.Policy }

func (p prices) Price(model string, at time.Time) (catalog.Price, bool) {
	if p.policy == nil {
		return catalog.Price{}, false
	}
	m, ok := p.policy.Model(model)
	if !ok {
		return catalog.Price{}, false
	}
	return m.PriceAt(at)
}
