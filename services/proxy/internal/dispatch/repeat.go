package dispatch

import (
	"context"
	"slices"

	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// repeatLast returns the last candidate once more, at once and in the way that its adapter asks
// for: with another key, without thought signatures or on a new connection. The repetition is
// an attempt like any other. It counts against the retry limit and the retry budget, and it
// reserves a call in the provider's limits. An open breaker does not prevent it, because the
// failure was not the provider's.
func (pk *picker) repeatLast(client context.Context, f policy.Failure, failed *provider.RepeatError) (step, bool) {
	if failed == nil || !pk.mayRepeat(f, failed.Reason) || !pk.fitsCost(pk.last) {
		return step{}, false
	}
	call, admission := pk.job.Breakers.Force(pk.last, pk.callKind())
	if admission != breaker.Admitted {
		pk.budgetSpent = true
		return step{}, false
	}
	pk.repeat = pk.repeat.Merge(failed.Next)
	pk.reconnected = pk.reconnected || failed.Reason == provider.StaleConnection
	s, ok := pk.reserveStep(client, &deferred{candidate: pk.last, position: pk.position}, call)
	if ok {
		pk.repetitions++
	}
	return s, ok
}

// mayRepeat reports whether the policy allows a repetition. The provider may have executed a
// call whose connection was lost, so the policy must allow attempts after a connect failure.
// The other reasons need no permission: the provider rejected the call. The last attempt that
// the policy allows is left to another candidate, if there is one.
func (pk *picker) mayRepeat(f policy.Failure, reason provider.RepeatReason) bool {
	retries := pk.job.Policy.Defaults.Retries
	mayMoveOn := retries.AllowsAfter(f)
	if reason == provider.StaleConnection && (!mayMoveOn || pk.reconnected) {
		return false
	}
	isLastAttempt := pk.calls >= retries.Max
	return !isLastAttempt || !mayMoveOn || !slices.ContainsFunc(pk.job.Plan[pk.position:], pk.job.Breakers.IsAvailable)
}
