package dispatch

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/pkg/policy"
)

var (
	errFirstToken = errors.New("no answer in time")
	errShare      = errors.New("no answer in its share of the time")
	errIdle       = errors.New("the answer stalled")
	errTotal      = errors.New("the answer took too long")
)

const (
	// afterFinish is how long the rest is waited for once every choice has
	// ended, and forUsage as long as no usage has come: without it the client
	// is shown an estimate.
	afterFinish = time.Second
	forUsage    = 5 * time.Second
)

// watch bounds an attempt: its first token, the pauses after that, the whole.
// It is used by the attempt's own goroutine.
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	limits bounds
	began  time.Time
	// alive is when the last sign of life came, since began; -1 if there was
	// none. Events are many and pauses few: the timer looks at it only when it
	// fires.
	alive atomic.Int64
	// idle is the longest pause, held whether it is the client that pauses.
	idle         atomic.Int64
	held         atomic.Bool
	pause, total *time.Timer
}

// bounds are a provider's timeouts as they hold for one attempt: FirstToken is
// 0 where there is no limit before the first sign of life, and late is why the
// attempt ends that shows none in time.
type bounds struct {
	policy.Timeouts
	late error
	// alive, if set, is told of the first sign of life.
	alive func()
}

// newWatch starts the clocks. The deadline of all attempts is the limit of the
// whole unless the provider's own is nearer.
func newWatch(client context.Context, deadline time.Time, limits bounds) *watch {
	ctx, cancel := context.WithCancelCause(client)
	w := &watch{ctx: ctx, cancel: cancel, limits: limits, began: time.Now()}
	w.alive.Store(-1)
	w.idle.Store(int64(limits.Idle))
	if limits.FirstToken > 0 {
		w.pause = time.AfterFunc(limits.FirstToken, w.stalled)
	}
	left := min(time.Until(deadline), limits.Total)
	if left <= 0 {
		w.expire()
	}
	w.total = time.AfterFunc(left, w.expire)
	return w
}

func (w *watch) expire() { w.cancel(errTotal) }

// stalled ends the attempt if it has, and else waits for what is left.
func (w *watch) stalled() {
	alive, idle := time.Duration(w.alive.Load()), time.Duration(w.idle.Load())
	left := idle - (time.Since(w.began) - alive)
	switch {
	case w.ctx.Err() != nil:
	case alive < 0:
		w.cancel(w.limits.late)
	case w.held.Load():
		w.pause.Reset(idle)
	case left > 0:
		w.pause.Reset(left)
	default:
		w.cancel(errIdle)
	}
}

// hold stops the clock of pauses while it is the client that is waited for.
func (w *watch) hold() { w.held.Store(true) }

// hurry shortens the pauses: the answer is there, and only its usage and its
// mark of the end may still come.
func (w *watch) hurry(counted bool) {
	wait := forUsage
	if counted {
		wait = afterFinish
	}
	if wait < time.Duration(w.idle.Load()) {
		w.idle.Store(int64(wait))
		w.pause.Reset(wait)
	}
}

// bears reports whether the end of reading is no loss for an answer that is
// there: the upstream broke off or fell silent, while nobody else gave up.
func (w *watch) bears() bool {
	return w.ctx.Err() == nil || errors.Is(context.Cause(w.ctx), errIdle)
}

// progress is told of every sign of life; from the first on, pauses count.
func (w *watch) progress() {
	if w.alive.Load() < 0 {
		w.first()
	}
	w.held.Store(false)
	w.alive.Store(int64(time.Since(w.began)))
}

func (w *watch) first() {
	if w.limits.alive != nil {
		w.limits.alive()
	}
	if w.pause == nil {
		w.pause = time.AfterFunc(w.limits.Idle, w.stalled)
		return
	}
	w.pause.Reset(w.limits.Idle)
}

func (w *watch) stop() {
	if w.pause != nil {
		w.pause.Stop()
	}
	w.total.Stop()
	w.cancel(nil)
}
