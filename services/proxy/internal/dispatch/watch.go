package dispatch

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

var (
	errFirstToken = errors.New("no answer in time")
	errIdle       = errors.New("the answer stalled")
	errTotal      = errors.New("the answer took too long")
)

// afterFinish is how long the rest is waited for once every choice has ended.
const afterFinish = time.Second

// watch bounds an attempt: its first token, the pauses after that, the whole.
// It is used by the attempt's own goroutine.
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	limits policy.Timeouts
	alive  atomic.Bool
	// pause and total are nil where nothing is to be timed.
	pause *time.Timer
	total *time.Timer
}

// newWatch starts the clocks. A whole answer shows no sign of life before it is
// there, so only a stream has a limit for its first token. The parent's
// deadline is the limit of the whole unless the provider's own is nearer.
func newWatch(parent context.Context, limits policy.Timeouts, stream bool) *watch {
	ctx, cancel := context.WithCancelCause(parent)
	w := &watch{ctx: ctx, cancel: cancel, limits: limits}
	if stream {
		w.pause = time.AfterFunc(limits.FirstToken, w.stalled)
	}
	if deadline, ok := parent.Deadline(); !ok || time.Until(deadline) > limits.Total {
		w.total = time.AfterFunc(limits.Total, func() { cancel(errTotal) })
	}
	return w
}

func (w *watch) stalled() {
	if w.alive.Load() {
		w.cancel(errIdle)
		return
	}
	w.cancel(errFirstToken)
}

// hold stops the clock of pauses while it is the client that is waited for.
func (w *watch) hold() { stopTimer(w.pause) }

// hurry shortens the pauses: the answer is there, and only its usage and its
// mark of the end may still come.
func (w *watch) hurry() { w.limits.Idle = min(w.limits.Idle, afterFinish) }

// bears reports whether the end of reading is no loss for an answer that is
// there: the upstream broke off or fell silent, while nobody else gave up.
func (w *watch) bears() bool {
	return w.ctx.Err() == nil || errors.Is(context.Cause(w.ctx), errIdle)
}

// progress is told of every sign of life; from the first on, pauses count.
func (w *watch) progress() {
	w.alive.Store(true)
	if w.pause == nil {
		w.pause = time.AfterFunc(w.limits.Idle, w.stalled)
		return
	}
	w.pause.Reset(w.limits.Idle)
}

func (w *watch) stop() {
	stopTimer(w.pause)
	stopTimer(w.total)
	w.cancel(nil)
}

func stopTimer(t *time.Timer) {
	if t != nil {
		t.Stop()
	}
}

// watched tells the watch of every event read.
type watched struct {
	provider.Events
	w *watch
}

func (e watched) Next() ([]byte, error) {
	payload, err := e.Events.Next()
	if err == nil {
		e.w.progress()
	}
	return payload, err
}

// explain gives an error its true cause: when time ran out or the client left,
// whatever the adapter saw is only the consequence.
func (a *attempt) explain(client context.Context, w *watch, err error) error {
	err = a.trueCause(client, w, err)
	a.charge(err)
	if a.result.Committed && apperr.CodeOf(err) != apperr.ClientCancelled {
		return interrupted(err)
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
	case errors.Is(cause, errIdle):
		return a.timeout("idle", w.limits.Idle, cause)
	case errors.Is(cause, errTotal):
		// All the time there was is used up: another call would use it up again.
		return a.timeout("total", w.limits.Total, cause).Final()
	}
	return err
}

// charge notes what a failed attempt probably cost. A provider that was cut
// off while it worked bills at least the input; one that refused bills nothing.
func (a *attempt) charge(err error) {
	if a.note.Usage != nil {
		return
	}
	if phase := apperr.From(err).Details["phase"]; phase == "dns" || phase == "connect" || phase == "tls" {
		return // it was never reached
	}
	switch apperr.CodeOf(err) {
	case apperr.ClientCancelled, apperr.GatewayOverloaded, apperr.ProviderTimeout, apperr.ProviderInterrupted, apperr.ProviderInvalidResponse:
		a.note.Usage = &catalog.Usage{Input: a.job.Request.InputTokens}
		a.note.Estimated = true
	}
}

func (a *attempt) timeout(phase string, limit time.Duration, cause error) *apperr.Error {
	return apperr.New(apperr.ProviderTimeout, a.target.Provider+" did not answer in time").
		With("phase", phase).With("timeout_ms", limit.Milliseconds()).Because(cause)
}

// interrupted is the error of a stream that broke after its first content.
func interrupted(cause error) error {
	e := apperr.From(cause)
	if e.Code == apperr.ProviderInterrupted {
		return e
	}
	return apperr.New(apperr.ProviderInterrupted, "the provider's answer broke off").
		With("reason", string(e.Code)).With("partial", true).Because(cause)
}
