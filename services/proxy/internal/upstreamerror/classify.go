package upstreamerror

import (
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// guessStatus returns the HTTP status that fits an error that was sent with status
// 200. It returns 0 if no status clearly fits.
func (f *reportedError) guessStatus() int {
	switch {
	case f.status != 0:
		return f.status
	case f.hasName("rate_limit", "too_many", "throttl", "resource_exhausted", "slow_down"):
		return 429
	case f.hasName("overloaded", "unavailable", "capacity"):
		return 503
	case f.hasName("not_found"):
		return 404
	case f.hasName("invalid_request", "bad_request", "badrequest", "invalid_argument", "validation"):
		return 400
	case f.hasName("authentication", "permission", "unauthorized", "api_key"):
		return 401
	case f.hasName("timeout", "deadline"):
		return 504
	case f.isOutOfCredit():
		return 402
	case f.isContextOverflow() || f.isContentFiltered():
		return 400
	case f.hasName("api_error", "server_error", "internal", "streamerror", "modelerror"):
		return 500
	}
	return 0
}

// classify maps an upstream error of any format to our error code. delay is the retry
// delay that the upstream sent, or 0.
func (f *reportedError) classify(status int, delay time.Duration) apperr.Code {
	switch {
	case status == 402 && delay > 0:
		return apperr.ProviderRateLimited // the balance is only reserved, by calls in progress
	case status < 500 && (status == 402 || f.isOutOfCredit()):
		return apperr.ProviderQuotaExhausted
	case status == 429:
		return f.classifyRateLimit(delay)
	case (status == 400 || status == 404 || status == 413 || status == 422 || status == 500) && f.isContextOverflow():
		return apperr.ContextLengthExceeded
	case status == 400 || status == 413 || status == 422:
		return f.classifyBadRequest(status)
	case status == 403 && (f.isContentFiltered() || f.hasName("safety") || f.hasPhrase("moderation", "safety", "content policy", "content filter")):
		return apperr.ContentFiltered
	case status == 401 || status == 403:
		return apperr.ProviderAuth
	case status == 404:
		return apperr.ProviderModelUnavailable
	case status == 408 || status == 504:
		return apperr.ProviderTimeout
	case status == 503 || status == 529 || status == 498 || f.hasName("overloaded"):
		return apperr.ProviderOverloaded
	case status < 500:
		return classifyOtherStatus(status)
	}
	return apperr.ProviderUpstream
}

// classifyRateLimit distinguishes three cases: a rate limit that ends soon, an exhausted
// quota, for which waiting does not help, and an overloaded server.
func (f *reportedError) classifyRateLimit(delay time.Duration) apperr.Code {
	switch {
	case f.isDaily || f.hasName("resource_exhausted") && (delay > longDelay || f.hasPhrase("limit: 0")):
		return apperr.ProviderQuotaExhausted
	case f.hasName("overloaded", "modelnotready"):
		return apperr.ProviderOverloaded
	}
	return apperr.ProviderRateLimited
}

// classifyOtherStatus handles the other statuses below 500. They usually come from another
// server or from a proxy between us and the provider.
func classifyOtherStatus(status int) apperr.Code {
	switch status {
	case 409, 423, 425:
		// The call conflicts with another call. Clients also retry these statuses.
		return apperr.ProviderOverloaded
	case 424, 499:
		// The upstream's own upstream failed or closed the connection.
		return apperr.ProviderUpstream
	}
	return apperr.ProviderModelUnavailable
}

func (f *reportedError) classifyBadRequest(status int) apperr.Code {
	switch {
	case f.hasName("api_key_invalid", "invalid_api_key") || f.hasPhrase("api key not valid"):
		return apperr.ProviderAuth
	case f.hasName("model_not_found", "modelnotfound", "deploymentnotfound"):
		return apperr.ProviderModelUnavailable
	case f.hasName("tool_use_failed"):
		// The model's output is not a valid tool call. A retry may succeed.
		return apperr.ProviderInvalidResponse
	case f.isContentFiltered() || f.hasPhrase("blocked by content filtering", "safety system", "content management policy"):
		return apperr.ContentFiltered
	case status == 413 || f.hasPhrase("payload size exceeds"):
		return apperr.RequestTooLarge
	}
	return apperr.ProviderBadRequest
}

func (f *reportedError) isContentFiltered() bool {
	return f.hasName("content_filter", "content_policy", "moderation", "responsibleaipolicy")
}

// isOutOfCredit reports whether the gateway's account at the provider has no credit left.
// Only a few phrases count, because the text of a per-minute limit can also mention plans
// and billing.
func (f *reportedError) isOutOfCredit() bool {
	return f.hasName("insufficient_quota", "billing", "credit_balance", "spend_limit", "usage_limit_exceeded", "exceeded_current_quota", "payment_required") ||
		f.hasPhrase("credit balance is too low", "insufficient balance", "insufficient credits", "out of credits")
}
