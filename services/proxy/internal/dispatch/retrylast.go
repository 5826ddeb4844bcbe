package dispatch

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
)

// maxBackoff is the longest wait before a candidate is called a second time, unless
// the provider sends a longer Retry-After. It is short, so that the client is not
// delayed much.
const maxBackoff = 500 * time.Millisecond

// retryLast returns the last candidate once more after a backoff, if it was the only call
// so far and the failure may be temporary. It does not retry if the provider's Retry-After
// exceeds the first-token timeout, nor if the breaker is open.
func (pk *picker) retryLast(client context.Context, f policy.Failure, err *apperr.Error) (step, bool) {
	if pk.calls-pk.repetitions > 1 || err.NoRetry || f != policy.FailConnect && f != policy.FailServerError && f != policy.FailOverloaded {
		return step{}, false
	}
	if !pk.fitsCost(pk.last) {
		return step{}, false
	}
	wait := max(rand.N(maxBackoff), err.RetryAfter)
	p, ok := pk.job.Policy.Provider(pk.last.Provider)
	if !ok || wait > p.Timeouts.FirstToken || !pk.job.Breakers.IsAvailable(pk.last) || !pk.waitBackoff(client, wait) {
		return step{}, false
	}
	call, admission, _ := pk.job.Breakers.Admit(pk.last, pk.callKind())
	pk.budgetSpent = pk.budgetSpent || admission == breaker.RetryBudgetSpent
	if admission != breaker.Admitted {
		return step{}, false
	}
	return pk.reserveStep(client, &deferred{candidate: pk.last, position: pk.position}, call)
}

// waitBackoff waits for d. It returns false if the deadline would pass or the client
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
