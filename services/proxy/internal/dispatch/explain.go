package dispatch

import (
	"context"
	"errors"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
)

// explain gives an error its true cause: when time ran out or the client left,
// whatever the adapter saw is only the consequence.
func (a *attempt) explain(client context.Context, w *watch, err error) error {
	err = a.trueCause(client, w, err)
	a.charge(err)
	if a.result.Committed && apperr.CodeOf(err) != apperr.ClientCancelled {
		return interrupted(err).With("tokens_sent", a.result.Usage.Output)
	}
	e := apperr.From(err)
	if status, ok := e.Details["upstream_status"].(int); ok {
		a.note.Status = status
	}
	switch e.Code {
	case apperr.ProviderInterrupted:
		// Nothing has been sent, so nothing was interrupted for the client.
		e = apperr.New(apperr.ProviderInvalidResponse, e.Message).With("reason", "incomplete").Because(err)
	case apperr.Internal, apperr.ClientCancelled, apperr.GatewayOverloaded:
		return e
	}
	return e.With("provider", a.target.Provider).With("model", a.target.Model)
}

func (a *attempt) trueCause(client context.Context, w *watch, err error) error {
	if client.Err() != nil {
		return gone(client)
	}
	cause := context.Cause(w.ctx)
	switch {
	case errors.Is(cause, errFirstToken):
		return a.timeout("first_token", w.limits.FirstToken, cause)
	case errors.Is(cause, errShare):
		return a.timeout("answer", w.limits.FirstToken, cause)
	case errors.Is(cause, errIdle):
		return a.timeout("idle", time.Duration(w.idle.Load()), cause)
	case errors.Is(cause, errTotal):
		// All the time there was is used up: another call would use it up again.
		return a.timeout(phaseTotal, w.limits.Total, cause).Final()
	}
	return err
}

// charge notes what a failed attempt probably cost. A provider that was cut
// off while it worked bills at least the input; one that refused bills nothing.
func (a *attempt) charge(err error) {
	if a.note.Usage != nil {
		return
	}
	if unreached(apperr.From(err)) {
		return
	}
	switch apperr.CodeOf(err) {
	case apperr.ClientCancelled, apperr.GatewayOverloaded, apperr.ProviderTimeout, apperr.ProviderInterrupted,
		apperr.ProviderInvalidResponse, apperr.ProviderConnection:
		a.note.Usage = &catalog.Usage{Input: a.counts.input}
		a.note.Estimated = true
	}
}

// phaseTotal is the phase of an attempt that took all the time there was.
const phaseTotal = "total"

func (a *attempt) timeout(phase string, limit time.Duration, cause error) *apperr.Error {
	return apperr.New(apperr.ProviderTimeout, a.target.Provider+" did not answer in time").
		With("phase", phase).With("timeout_ms", limit.Milliseconds()).Because(cause)
}

// interrupted is the error of a stream that broke after its first content.
func interrupted(cause error) *apperr.Error {
	e := apperr.From(cause)
	if e.Code == apperr.ProviderInterrupted {
		return e
	}
	return apperr.New(apperr.ProviderInterrupted, "the provider's answer broke off").
		With("reason", string(e.Code)).With("partial", true).Because(cause)
}
