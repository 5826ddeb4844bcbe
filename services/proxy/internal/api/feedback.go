package api

import (
	"encoding/json"
	"net/http"

	"github.com/signalbox/signalbox/pkg/feedback"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/session"
)

// feedbackPath is where clients say how good a response was.
const feedbackPath = Prefix + "/feedback"

// acceptedFeedback is the body of the response.
type acceptedFeedback struct {
	Accepted int `json:"accepted"`
}

// serveFeedback writes feedback to the spool and responds with 202. The proxy knows
// neither the requests nor their accounts: the store joins feedback with a request of the
// same account and discards the rest. The call counts against the limits of requests, but
// it is not recorded.
func (e *edge) serveFeedback(x *exchange) {
	items, err := e.readFeedback(x)
	x.record = nil
	if err == nil {
		err = e.writeFeedback(x, items)
	}
	if err != nil {
		e.rejectUnrecorded(x, err)
		return
	}
	body, err := json.Marshal(acceptedFeedback{len(items)})
	if err != nil {
		x.sendError(err)
		return
	}
	x.sendBodyWithStatus(http.StatusAccepted, body, ledger.Amount{})
}

func (e *edge) readFeedback(x *exchange) ([]feedback.Item, error) {
	if err := e.admit(x, x.route.scope); err != nil {
		return nil, err
	}
	if err := e.enterLimits(x); err != nil {
		return nil, err
	}
	body, err := e.readBody(x)
	if err != nil {
		return nil, err
	}
	items, err := feedback.Parse(body, feedback.DefaultSource)
	return items, feedback.ToAPIError(err)
}

func (e *edge) writeFeedback(x *exchange, items []feedback.Item) error {
	for i := range items {
		items[i].Source, items[i].Reason = e.storableSource(x, items[i].Source), e.storableReason(x, items[i].Reason)
	}
	p := x.principal
	err := e.Ledger.WriteFeedback(&ledger.Feedback{
		ID: x.id, AccountID: p.AccountID, KeyID: p.KeyID, KeyName: p.KeyName, Time: x.startedAt, Items: items,
	})
	if err != nil {
		e.Log.Error("feedback not written", "request_id", x.requestID, "error", err)
		return overloadedError("the gateway cannot store feedback at the moment; try again shortly")
	}
	return nil
}

// storableReason returns the reason for the store. It is text of a person, so the capture
// settings apply to it as to the text of requests.
func (e *edge) storableReason(x *exchange, reason string) string {
	if reason == "" || x.capture == keys.CaptureFull {
		return reason
	}
	return e.redactText(x, reason)
}

// storableSource returns the source for the store. A source may name an end user, so it is
// replaced by a hash like the end user of a request. Names of Signalbox's own stay.
func (e *edge) storableSource(x *exchange, source string) string {
	if source == feedback.DefaultSource || x.capture == keys.CaptureFull {
		return source
	}
	return session.Hash(x.principal.AccountID, source)
}
