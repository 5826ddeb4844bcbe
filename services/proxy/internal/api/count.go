package api

import (
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// serveCount responds with our estimate of the input tokens. It calls no upstream. The request
// counts against the limits of requests, but it is not recorded.
func (e *edge) serveCount(x *exchange) {
	req, err := e.readRequest(x)
	x.record = nil
	if err != nil {
		e.rejectUnrecorded(x, err)
		return
	}
	x.sendBody(x.route.countBody(e.estimateInput(req)), ledger.Amount{})
}

// rejectUnrecorded sends the error of a request that has no record.
func (e *edge) rejectUnrecorded(x *exchange, err error) {
	e.reportRejection(err)
	if apperr.Is(err, apperr.ClientCancelled) {
		abort()
	}
	x.sendError(err)
}

// estimateInput estimates how the requested model counts the input. For a route, the model is
// not known, so the estimate is not scaled.
func (e *edge) estimateInput(req *requestbody.Request) int64 {
	p := e.Router.Policy()
	if p == nil {
		return req.InputTokens
	}
	m, ok := p.Model(req.Model)
	if !ok {
		return req.InputTokens
	}
	return dispatch.EstimateInputTokens(e.Tokens, p, decide.Candidate{Model: m.ID, Provider: m.Endpoints[0].Provider}, req)
}
