package dispatch

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
)

// maxBackoff is the longest wait before a candidate is called a second time,
// unless the provider sends a longer Retry-After. It covers the restart of one
// process behind a balancer without delaying the client much.
const maxBackoff = 500 * time.Millisecond

// retryLast calls the last candidate once more after a backoff, if the failure may
// be temporary. It respects a Retry-After up to the first-token timeout.
func (pk *picker) retryLast(client context.Context, f policy.Failure, err *apperr.Error) (step, bool) {
	if pk.calls > 1 || err.NoRetry || f != policy.FailConnect && f != policy.FailServerError && f != policy.FailOverloaded {
		return step{}, false
	}
	wait := max(rand.N(maxBackoff), err.RetryAfter)
	p, ok := pk.job.Policy.Provider(pk.last.Provider)
	if !ok || wait > p.Timeouts.FirstToken || !pk.waitBackoff(client, wait) {
		return step{}, false
	}
	call, admission, _ := pk.job.Breakers.Admit(pk.last, pk.callKind())
	pk.budgetSpent = pk.budgetSpent || admission == breaker.RetryBudgetSpent
	if admission != breaker.Admitted {
		return step{}, false
	}
	return pk.reserveStep(client, &deferred{candidate: pk.last, position: pk.position}, call)
}

// waitBackoff waits. It returns false if the deadline is too near or the client
// disconnects.
func (pk *picker) waitBackoff(client context.Context, d time.Duration) bool {
	if time.Until(pk.deadline) <= d {
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
