package dispatch

import (
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
)

// classifyFailure returns the policy's kind of failure for an attempt's error. An
// attempt without a connection is always a connect failure, also after a timeout.
func classifyFailure(err *apperr.Error) policy.Failure {
	if isUnreachable(err) {
		return policy.FailConnect
	}
	return policy.FailureForCode(err.Code)
}

// isUnreachable reports whether the attempt failed before a connection was made.
func isUnreachable(err *apperr.Error) bool {
	switch err.Details["phase"] {
	case "dns", "guard", "connect", "tls":
		return true
	}
	return false
}

// toVerdict returns what the result of an attempt says about the candidate's health.
// isRetry means that earlier attempts used part of the total time.
func toVerdict(err *apperr.Error, late bool) breaker.Verdict {
	switch {
	case err == nil:
		return breaker.Good
	case err.Code == apperr.Internal, err.Code == apperr.UnsupportedParameter:
		return breaker.Inconclusive
	case late && err.Details["phase"] == phaseTotal:
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

// retryAfterOf returns how long the provider wants us to wait before the next call.
func retryAfterOf(err *apperr.Error) time.Duration {
	if err == nil {
		return 0
	}
	return err.RetryAfter
}
