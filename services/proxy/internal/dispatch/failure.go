package dispatch

import (
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
)

// failureOf is what kind of failure an attempt's error is. One that never
// reached its upstream is of the connection, whatever took too long in it.
func failureOf(err *apperr.Error) policy.Failure {
	if unreached(err) {
		return policy.FailConnect
	}
	return policy.FailureOf(err.Code)
}

// unreached tells whether no connection was made.
func unreached(err *apperr.Error) bool {
	switch err.Details["phase"] {
	case "dns", "guard", "connect", "tls":
		return true
	}
	return false
}

// verdictOf is what the end of an attempt says about its target. late is
// whether others had used up time before it.
func verdictOf(err *apperr.Error, late bool) breaker.Verdict {
	switch {
	case err == nil:
		return breaker.Good
	case err.Code == apperr.Internal, err.Code == apperr.UnsupportedParameter:
		return breaker.Nothing
	case late && err.Details["phase"] == phaseTotal:
		return breaker.Nothing
	case unreached(err):
		return breaker.Unreached
	}
	switch policy.FailureOf(err.Code) {
	case "", policy.FailContext:
		return breaker.Nothing
	case policy.FailRateLimit:
		return breaker.Limited
	case policy.FailModel:
		return breaker.Absent
	case policy.FailTimeout:
		return breaker.Silent
	}
	return breaker.Failed
}

// waitOf is how long the provider asks to be left alone.
func waitOf(err *apperr.Error) time.Duration {
	if err == nil {
		return 0
	}
	return err.RetryAfter
}
