package dispatch

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

var (
	errFirstToken = errors.New("no answer in time")
	errIdle       = errors.New("the answer stalled")
	errTotal      = errors.New("the answer took too long")
)

// watch bounds an attempt: its first token, the pauses after that, the whole.
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	limits policy.Timeouts
	alive  atomic.Bool
	pause  *time.Timer
	total  *time.Timer
}

func newWatch(parent context.Context, limits policy.Timeouts) *watch {
	ctx, cancel := context.WithCancelCause(parent)
	w := &watch{ctx: ctx, cancel: cancel, limits: limits}
	w.pause = time.AfterFunc(limits.FirstToken, w.stalled)
	w.total = time.AfterFunc(limits.Total, func() { cancel(errTotal) })
	return w
}

func (w *watch) stalled() {
	if w.alive.Load() {
		w.cancel(errIdle)
		return
	}
	w.cancel(errFirstToken)
}

// progress is told of every sign of life; from the first on, pauses count.
func (w *watch) progress() {
	w.alive.Store(true)
	if w.pause.Stop() {
		w.pause.Reset(w.limits.Idle)
	}
}

func (w *watch) stop() {
	w.pause.Stop()
	w.total.Stop()
	w.cancel(nil)
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
func (a *attempt) explain(parent context.Context, w *watch, err error) error {
	if parent.Err() != nil {
		return gone(parent)
	}
	cause := context.Cause(w.ctx)
	switch {
	case errors.Is(cause, errFirstToken):
		err = a.timeout("first_token", w.limits.FirstToken, cause)
	case errors.Is(cause, errIdle):
		err = a.timeout("idle", w.limits.Idle, cause)
	case errors.Is(cause, errTotal):
		err = a.timeout("total", w.limits.Total, cause)
	}
	if a.result.Committed && apperr.CodeOf(err) != apperr.ClientCancelled {
		return interrupted(err)
	}
	e := apperr.From(err)
	if status, ok := e.Details["upstream_status"].(int); ok {
		a.note.Status = status
	}
	if e.Code == apperr.Internal {
		return e
	}
	return e.With("provider", a.target.Provider).With("model", a.target.Model)
}

func (a *attempt) timeout(phase string, limit time.Duration, cause error) error {
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
