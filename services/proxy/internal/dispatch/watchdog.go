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
	// total is the time limit of the attempt, from startedAt.
	total time.Duration
	// lastProgress is the time from startedAt to the last progress, or -1 before the
	// first. The timer reads lastProgress when it fires. Events do not reset the timer,
	// because events are frequent and stalls are rare.
	lastProgress atomic.Int64
	// idle is the longest allowed pause.
	idle atomic.Int64
	// sending is set while frames are sent to the client.
	sending atomic.Bool
	// timer fires when the next one of all limits expires. One timer costs less than a timer for
	// each limit.
	timer *time.Timer
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

// newWatchdog starts the timer. The total limit is the shared deadline or the
// provider's total timeout, whichever comes first.
func newWatchdog(client context.Context, deadline time.Time, limits timeouts) *watchdog {
	ctx, cancel := context.WithCancelCause(client)
	w := &watchdog{ctx: ctx, cancel: cancel, timeouts: limits, startedAt: time.Now()}
	w.total = min(deadline.Sub(w.startedAt), limits.Total)
	w.lastProgress.Store(-1)
	w.idle.Store(int64(limits.Idle))
	if w.total <= 0 {
		cancel(errTotal)
	}
	first := w.total
	if limits.FirstToken > 0 {
		first = min(first, limits.FirstToken)
	}
	w.timer = time.AfterFunc(first, w.checkLimits)
	return w
}

// checkLimits cancels the attempt if a limit has expired. If not, it sets the timer to
// the rest of the allowed pause.
func (w *watchdog) checkLimits() {
	now, alive, idle := time.Since(w.startedAt), time.Duration(w.lastProgress.Load()), time.Duration(w.idle.Load())
	left := idle - (now - alive)
	switch {
	case w.ctx.Err() != nil:
	case alive < 0 && w.timeouts.FirstToken > 0 && w.timeouts.FirstToken <= w.total:
		w.cancel(w.timeouts.lateErr) // also if both limits are equal: another candidate may be called then
	case now >= w.total:
		w.cancel(errTotal)
	case w.sending.Load():
		w.setTimer(idle)
	case left > 0:
		w.setTimer(left)
	default:
		w.cancel(errIdle)
	}
}

// setTimer sets the timer to the end of an allowed pause, but not beyond the total limit.
func (w *watchdog) setTimer(pause time.Duration) {
	w.timer.Reset(min(pause, w.total-time.Since(w.startedAt)))
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
		w.setTimer(wait)
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
	w.setTimer(w.timeouts.Idle)
}

func (w *watchdog) stop() {
	w.timer.Stop()
	w.cancel(nil)
}
