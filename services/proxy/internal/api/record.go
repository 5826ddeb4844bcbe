package api

import (
	"net/http"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/control"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

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
	if code := apperr.CodeOf(err); code != apperr.GatewayOverloaded && code.Spec().Status >= http.StatusInternalServerError {
		x.record.Outcome = ledger.Error
	}
	e.failed(x, err)
	e.close(x)
	e.Done(x.record)
}

func (e *edge) failed(x *exchange, err error) {
	a := apperr.From(err)
	x.record.Code, x.record.Message = string(a.Code), e.message(x, a)
	if !x.committed {
		x.record.Status = a.Code.Spec().Status
	}
	if a.Code == apperr.ClientCancelled {
		x.record.Outcome = ledger.ClientClosed
	}
	if a.Code == apperr.Internal {
		e.Log.Error("internal error", "request_id", x.name, "error", err)
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
		e.Log.Error("a record could not be written", "request_id", x.name, "error", err)
	}
	x.pass.Settle(used(x.record))
}

// prices are those of a policy; without one nothing is priced.
type prices struct{ policy *policy.Policy }

func (p prices) Price(t decide.Target, at time.Time) (catalog.Price, bool) {
	if p.policy == nil {
		return catalog.Price{}, false
	}
	m, ok := p.policy.Model(t.Model)
	if !ok {
		return catalog.Price{}, false
	}
	return m.PriceAt(t.Provider, at)
}
