package api

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/shadow"
)

// offerSample offers a served request to the experiments of its policy. Call it after the
// response was written. Most requests end at the first line: experiments need a policy that
// has some, an account that allows them, and a request whose text is stored in full.
func (e *edge) offerSample(x *exchange, req *requestbody.Request, res *dispatch.Result) {
	if len(x.policy.Experiments) == 0 || e.Shadow == nil || !e.maySample(x, req, res) {
		return
	}
	e.Shadow.Offer(&shadow.Sample{
		RequestID: x.id, AccountID: x.principal.AccountID, KeyID: x.principal.KeyID, KeyName: x.principal.KeyName,
		Policy: x.policy, Question: &x.question, Features: x.record.Decision.Features, Request: req,
		Served: res.Served, OutputTokens: res.Usage.Output,
		Response: func() ([]byte, bool) {
			if !req.Stream {
				return res.Response.Body, true
			}
			body, length := x.transcript.Response()
			return body, body != nil && int64(len(body)) == length
		},
	})
}

// maySample reports whether experiments may use the request. Only chat completions are
// sampled: requests in the native format of a vendor may refer to state that is bound to it.
func (e *edge) maySample(x *exchange, req *requestbody.Request, res *dispatch.Result) bool {
	return x.principal.AllowExperiments && x.capture == keys.CaptureFull && e.CaptureLimit > 0 && res.Err == nil &&
		req.Kind == catalog.Chat && x.route.protocol == nil && x.stored == nil && len(req.NativeOnly) == 0
}
