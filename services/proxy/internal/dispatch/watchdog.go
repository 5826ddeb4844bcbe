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
	errResponseShare = errors.New("no response in the attempt's share of the time")
	errIdle          = errors.New("the response stalled")
	errTotal         = errors.New("the response exceeded the total timeout")
)

const (
	// afterFinish is how long the upstream may take to end the stream after every
	// choice has finished.
	afterFinish = time.Second
	// usageWait replaces afterFinish while the usage is missing. Without the usage, the
	// client gets only an estimate.
	usageWait = 5 * time.Second
)

// watchdog cancels an attempt that exceeds its first-token, idle or total timeout.
// Only the goroutine of the attempt and the timers call its methods.
type watchdog struct {
	ctx       context.Context
	cancel    context.CancelCauseFunc
	timeouts  timeouts
	startedAt time.Time
	// lastProgress is the time from startedAt to the last progress, or -1 before the
	// first. The timer reads lastProgress when it fires. Events do not reset the timer,
	// because events are frequent and stalls are rare.
	lastProgress atomic.Int64
	// idle is the longest allowed pause.
	idle atomic.Int64
	// sending is set while frames are sent to the client.
	sending               atomic.Bool
	idleTimer, totalTimer *time.Timer
}

// timeouts are a provider's timeouts as they apply to one attempt. A FirstToken of 0
// means that there is no limit before the first progress.
type timeouts struct {
	policy.Timeouts
	// lateErr is the cause of the cancellation when FirstToken expires.
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

// checkStall cancels the attempt if it has stalled. If not, it sets the timer to
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

// shortenIdle shortens the idle timeout after the content is complete. After that,
// only the usage and the end of the stream may follow.
func (w *watchdog) shortenIdle(hasUsage bool) {
	wait := usageWait
	if hasUsage {
		wait = afterFinish
	}
	if wait < time.Duration(w.idle.Load()) {
		w.idle.Store(int64(wait))
		w.idleTimer.Reset(wait)
	}
}

// canIgnoreReadError reports whether a complete response is valid despite a read
// error. It is valid unless the client disconnected or the total timeout expired.
func (w *watchdog) canIgnoreReadError() bool {
	return w.ctx.Err() == nil || errors.Is(context.Cause(w.ctx), errIdle)
}

// recordProgress records that data arrived or was sent. From the first call on, the
// idle timeout applies.
func (w *watchdog) recordProgress() {
	if w.lastProgress.Load() < 0 {
		w.startIdleTimer()
	}
	w.sending.Store(false)
	w.lastProgress.Store(int64(time.Since(w.startedAt)))
}

// recordHeartbeat records that the upstream is alive, although it sent nothing for the client.
// Before the first progress, a heartbeat changes nothing: another candidate may respond sooner.
func (w *watchdog) recordHeartbeat() {
	if w.lastProgress.Load() >= 0 {
		w.recordProgress()
	}
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
