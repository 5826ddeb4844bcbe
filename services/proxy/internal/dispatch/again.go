package dispatch

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
)

// backoff is at most how long a target is left alone before it is called once
// more, unless it asks for longer: long enough for a restart of one process
// behind a balancer, short enough for whoever waits.
const backoff = 500 * time.Millisecond

// again calls the only target once more, after a while, where the failure may
// be gone by then. What its provider asks for is waited for no longer than a
// first token would be.
func (w *walk) again(client context.Context, f policy.Failure, err *apperr.Error) (step, bool) {
	if w.calls > 1 || err.NoRetry || f != policy.FailConnect && f != policy.FailServer && f != policy.FailOverload {
		return step{}, false
	}
	wait := max(rand.N(backoff), err.RetryAfter)
	p, ok := w.job.Policy.Provider(w.last.Provider)
	if !ok || wait > p.Timeouts.FirstToken || !w.pause(client, wait) {
		return step{}, false
	}
	call, answer, _ := w.job.Breakers.Ask(w.last, w.kind())
	w.over = w.over || answer == breaker.OverBudget
	if answer != breaker.Admitted {
		return step{}, false
	}
	return w.enter(client, &aside{target: w.last, at: w.at}, call)
}

// pause waits, unless that would be for nothing.
func (w *walk) pause(client context.Context, d time.Duration) bool {
	if time.Until(w.deadline) <= d {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-client.Done():
		return false
	}
}
