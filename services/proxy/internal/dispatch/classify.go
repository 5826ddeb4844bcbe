package dispatch

import (
	"context"
	"errors"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// classifyError replaces an adapter's error by its cause, such as a timeout or a
// client that disconnected. It also records the usage that the provider probably bills.
func (a *attempt) classifyError(client context.Context, w *watchdog, err error) error {
	err = a.findCause(client, w, a.job.Stored.explainError(err))
	if repeat, ok := errors.AsType[*provider.RepeatError](err); ok {
		a.repeatError, a.record.Inconclusive = repeat, repeat.Reason.IsInconclusive()
	}
	a.chargeFailure(err)
	if code := apperr.CodeOf(err); a.result.Committed && code != apperr.ClientCancelled && code != apperr.AuthInvalidKey {
		return interruptedError(err).With("tokens_sent", a.result.Usage.Output)
	}
	e := apperr.From(err)
	if status, ok := e.Details["upstream_status"].(int); ok {
		a.record.Status = status
	}
	if id, ok := e.Details["upstream_request_id"].(string); ok {
		a.record.UpstreamID = id
	}
	switch e.Code {
	case apperr.ProviderInterrupted:
		// The client received nothing, so for the client this is no interruption.
		e = apperr.New(apperr.ProviderInvalidResponse, e.Message).With("reason", "incomplete").WithCause(err)
	case apperr.Internal, apperr.ClientCancelled, apperr.GatewayOverloaded, apperr.AuthInvalidKey:
		return e
	}
	return e.With("provider", a.candidate.Provider).With("model", a.candidate.Model)
}

func (a *attempt) findCause(client context.Context, w *watchdog, err error) error {
	if client.Err() != nil {
		return contextEndError(client)
	}
	cause := context.Cause(w.ctx)
	switch {
	case errors.Is(cause, errFirstToken):
		return a.timeoutError("first_token", w.timeouts.FirstToken, cause)
	case errors.Is(cause, errResponseShare):
		return a.timeoutError("response", w.timeouts.FirstToken, cause)
	case errors.Is(cause, errIdle):
		return a.timeoutError("idle", time.Duration(w.idle.Load()), cause)
	case errors.Is(cause, errTotal):
		// The total timeout has expired, so no other attempt can follow.
		return a.timeoutError(phaseTotal, w.timeouts.Total, cause).WithoutRetry()
	}
	return err
}

// chargeFailure records the usage that the provider probably bills for a failed attempt.
// A provider whose response was cut off bills at least the input. A rejected call costs
// nothing.
func (a *attempt) chargeFailure(err error) {
	if a.record.Usage != nil {
		return
	}
	if isUnreachable(apperr.From(err)) {
		return
	}
	switch apperr.CodeOf(err) {
	case apperr.ClientCancelled, apperr.GatewayOverloaded, apperr.AuthInvalidKey, apperr.ProviderTimeout, apperr.ProviderInterrupted,
		apperr.ProviderInvalidResponse, apperr.ProviderConnection:
		a.record.Usage = &catalog.Usage{Input: a.estimate.input}
		a.record.Estimated = true
	}
}

// phaseTotal is the value of details.phase when the total timeout expired.
const phaseTotal = "total"

func (a *attempt) timeoutError(phase string, limit time.Duration, cause error) *apperr.Error {
	return apperr.New(apperr.ProviderTimeout, a.candidate.Provider+" did not respond in time").
		With("phase", phase).With("timeout_ms", limit.Milliseconds()).WithCause(cause)
}

// interruptedError returns the error of a stream that failed after its first content.
func interruptedError(cause error) *apperr.Error {
	e := apperr.From(cause)
	if e.Code == apperr.ProviderInterrupted {
		return e
	}
	return apperr.New(apperr.ProviderInterrupted, "the provider's response was interrupted").
		With("reason", string(e.Code)).With("partial", true).WithCause(cause)
}
