package dispatch

import (
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// classifyFailure returns the policy's kind of failure for an attempt's error. A
// failure before a connection exists is always a connect failure, even a timeout.
func classifyFailure(err *apperr.Error) policy.Failure {
	if isUnreachable(err) {
		return policy.FailConnect
	}
	return policy.FailureForCode(err.Code)
}

// isUnreachable reports whether the attempt failed before a connection existed.
func isUnreachable(err *apperr.Error) bool {
	switch err.Details["phase"] {
	case "dns", "guard", "connect", "tls":
		return true
	}
	return false
}

// toVerdict returns what the result of an attempt means for the candidate's health.
// repeat is not nil if the adapter asks for another call. The first stale connection
// counts like a failure to connect.
func (pk *picker) toVerdict(err *apperr.Error, repeat *provider.RepeatError) breaker.Verdict {
	isRetry := pk.calls > 1 // earlier attempts used part of the total time
	switch {
	case err == nil:
		return breaker.Good
	case repeat != nil && repeat.Reason.IsInconclusive():
		return breaker.Inconclusive
	case repeat != nil && repeat.Reason == provider.StaleConnection && !pk.reconnected:
		return breaker.Unreachable
	case err.Code == apperr.Internal, err.Code == apperr.UnsupportedParameter:
		return breaker.Inconclusive
	case isRetry && err.Details["phase"] == phaseTotal:
		return breaker.Inconclusive
	case isUnreachable(err):
		return breaker.Unreachable
	}
	switch policy.FailureForCode(err.Code) {
	case "", policy.FailContextLength:
		return breaker.Inconclusive
	case policy.FailRateLimit:
		return breaker.RateLimited
	case policy.FailModelUnavailable:
		return breaker.NotServed
	case policy.FailTimeout:
		return breaker.TimedOut
	}
	return breaker.Failed
}

// retryAfterOf returns the delay that the provider requires before the next call.
func retryAfterOf(err *apperr.Error) time.Duration {
	if err == nil {
		return 0
	}
	return err.RetryAfter
}
