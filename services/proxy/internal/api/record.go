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

// recordFailure writes the record of a failed request, unless it is already written. A
// request without an accepted key has no record and is at most logged.
func (e *edge) recordFailure(x *exchange, err error) {
	if x.record == nil || x.recorded {
		if x.record == nil {
			e.reportKeyless(err)
		}
		return
	}
	x.record.Outcome = ledger.Rejected
	if code := apperr.CodeOf(err); code != apperr.GatewayOverloaded && code.Spec().Status >= http.StatusInternalServerError {
		x.record.Outcome = ledger.Error
	}
	e.recordError(x, err)
	e.finishRecord(x)
	e.RecordDone(x.record)
}

// reportKeyless counts and logs the failure of a request without an accepted key.
func (e *edge) reportKeyless(err error) {
	code := apperr.CodeOf(err)
	if e.KeylessFailed != nil {
		e.KeylessFailed(code)
	}
	if e.LogKeyless {
		e.Log.Info("request", "status", code.Spec().Status, "code", string(code))
	}
}

func (e *edge) recordError(x *exchange, err error) {
	a := apperr.From(err)
	x.record.Code, x.record.Message = string(a.Code), e.storableMessage(x, a)
	if !x.committed {
		x.record.Status = a.Code.Spec().Status
	}
	if a.Code == apperr.ClientCancelled {
		x.record.Outcome = ledger.ClientClosed
	}
	if a.Code == apperr.Internal {
		e.Log.Error("internal error", "request_id", x.requestID, "error", err)
	}
}

func (e *edge) recordResult(x *exchange, plan control.Plan, res *dispatch.Result) {
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
		e.recordError(x, res.Err)
	}
	if res.Served != (decide.Candidate{}) {
		r.Route = plan.RouteOf(res.Served, plan.Failed)
	}
}

// finishRecord writes the record and settles the limits. If the record cannot be written,
// finishRecord logs the loss. The client still gets the response, because the provider
// bills it.
func (e *edge) finishRecord(x *exchange) {
	x.recorded = true
	x.record.Latency = time.Since(x.startedAt)
	if err := e.Ledger.Finish(x.record, prices{x.policy}); err != nil {
		e.Log.Error("record lost: write failed", "request_id", x.requestID, "error", err)
	}
	x.admission.Settle(totalUse(x.record))
}

// prices provides the prices of a policy. Without a policy, no candidate has a price.
type prices struct{ policy *policy.Policy }

func (p prices) Price(t decide.Candidate, at time.Time) (catalog.Price, bool) {
	if p.policy == nil {
		return catalog.Price{}, false
	}
	m, ok := p.policy.Model(t.Model)
	if !ok {
		return catalog.Price{}, false
	}
	return m.PriceAt(t.Provider, at)
}
