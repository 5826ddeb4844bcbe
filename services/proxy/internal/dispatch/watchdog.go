package dispatch

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/pkg/policy"
)

var (
	errFirstToken    = errors.New("no first token in time")
	errResponseShare = errors.New("no response in its share of the time")
	errIdle          = errors.New("the response stalled")
	errTotal         = errors.New("the response exceeded the total timeout")
)

const (
	// afterFinish is how long the upstream may take to end the stream after every
	// choice has finished. usageWait applies while the usage is missing, because
	// the client gets only an estimate without it.
	afterFinish = time.Second
	usageWait   = 5 * time.Second
)

// watchdog cancels an attempt that exceeds its first-token, idle or total timeout.
// Apart from its timers, only the attempt's own goroutine calls its methods.
type watchdog struct {
	ctx       context.Context
	cancel    context.CancelCauseFunc
	timeouts  timeouts
	startedAt time.Time
	// lastProgress is the time of the last progress since startedAt; -1 before the
	// first. Events are frequent and stalls are rare, so recording progress does
	// not reset the timer: the timer reads this value when it fires.
	lastProgress atomic.Int64
	// idle is the longest allowed pause. sending is set while the client is slow
	// to receive.
	idle                  atomic.Int64
	sending               atomic.Bool
	idleTimer, totalTimer *time.Timer
}

// timeouts are a provider's timeouts as they apply to one attempt. FirstToken is 0
// if there is no limit before the first progress. lateErr is the cause of the
// cancellation when FirstToken expires.
type timeouts struct {
	policy.Timeouts
	lateErr error
	// onFirstProgress, if set, is called at the first progress.
	onFirstProgress func()
}

// newWatchdog starts the timers. The total limit is the shared deadline or the
// provider's total timeout, whichever comes first.
func newWatchdog(client context.Context, deadline time.Time, limits timeouts) *watchdog {
	ctx, cancel := context.WithCancelCause(client)
	w := &watchdog{ctx: ctx, cancel: cancel, timeouts: limits, startedAt: time.Now()}
	w.lastProgress.Store(-1)
	w.idle.Store(int64(limits.Idle))
	if limits.FirstToken > 0 {
		w.idleTimer = time.AfterFunc(limits.FirstToken, w.checkStall)
	}
	left := min(time.Until(deadline), limits.Total)
	if left <= 0 {
		w.expireTotal()
	}
	w.totalTimer = time.AfterFunc(left, w.expireTotal)
	return w
}

func (w *watchdog) expireTotal() { w.cancel(errTotal) }

// checkStall cancels the attempt if it has stalled. If not, it resets the timer to
// the rest of the allowed pause.
func (w *watchdog) checkStall() {
	alive, idle := time.Duration(w.lastProgress.Load()), time.Duration(w.idle.Load())
	left := idle - (time.Since(w.startedAt) - alive)
	switch {
	case w.ctx.Err() != nil:
	case alive < 0:
		w.cancel(w.timeouts.lateErr)
	case w.sending.Load():
		w.idleTimer.Reset(idle)
	case left > 0:
		w.idleTimer.Reset(left)
	default:
		w.cancel(errIdle)
	}
}

// pauseIdle stops the idle timeout while the client receives frames.
func (w *watchdog) pauseIdle() { w.sending.Store(true) }

// shortenIdle shortens the idle timeout after the content is complete: only the
// usage and the end of the stream may follow.
func (w *watchdog) shortenIdle(counted bool) {
	wait := usageWait
	if counted {
		wait = afterFinish
	}
	if wait < time.Duration(w.idle.Load()) {
		w.idle.Store(int64(wait))
		w.idleTimer.Reset(wait)
	}
}

// canIgnoreReadError reports whether a complete response may ignore a read error:
// the upstream broke off or stalled, and neither the client nor the total timeout
// ended the attempt.
func (w *watchdog) canIgnoreReadError() bool {
	return w.ctx.Err() == nil || errors.Is(context.Cause(w.ctx), errIdle)
}

// recordProgress notes that data arrived. After the first call, the idle timeout
// applies.
func (w *watchdog) recordProgress() {
	if w.lastProgress.Load() < 0 {
		w.startIdleTimer()
	}
	w.sending.Store(false)
	w.lastProgress.Store(int64(time.Since(w.startedAt)))
}

func (w *watchdog) startIdleTimer() {
	if w.timeouts.onFirstProgress != nil {
		w.timeouts.onFirstProgress()
	}
	if w.idleTimer == nil {
		w.idleTimer = time.AfterFunc(w.timeouts.Idle, w.checkStall)
		return
	}
	w.idleTimer.Reset(w.timeouts.Idle)
}

func (w *watchdog) stop() {
	if w.idleTimer != nil {
		w.idleTimer.Stop()
	}
	w.totalTimer.Stop()
	w.cancel(nil)
}
