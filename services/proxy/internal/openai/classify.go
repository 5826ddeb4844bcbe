package openai

import (
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// guessStatus is the status that an error under the status 200 should have had.
func (f *fault) guessStatus() int {
	switch {
	case f.status != 0:
		return f.status
	case f.has("rate_limit", "too_many", "throttl", "resource_exhausted", "slow_down"):
		return 429
	case f.has("overloaded", "unavailable", "capacity"):
		return 503
	case f.has("not_found"):
		return 404
	case f.has("invalid_request", "bad_request", "badrequest", "invalid_argument", "validation"):
		return 400
	case f.has("authentication", "permission", "unauthorized", "api_key"):
		return 401
	case f.has("timeout", "deadline"):
		return 504
	case f.outOfMoney():
		return 402
	case f.overflows() || f.filtered():
		return 400
	case f.has("api_error", "server_error", "internal", "streamerror", "modelerror"):
		return 500
	}
	return 0
}

// classify tells what an error means, whoever sent it. delay is how long its
// upstream asks to wait.
func (f *fault) classify(status int, delay time.Duration) apperr.Code {
	switch {
	case status == 402 && delay > 0:
		return apperr.ProviderRateLimited // money that calls on their way hold
	case status < 500 && (status == 402 || f.outOfMoney()):
		return apperr.ProviderQuotaExhausted
	case status == 429:
		return f.classifyLimit(delay)
	case (status == 400 || status == 404 || status == 413 || status == 422 || status == 500) && f.overflows():
		return apperr.ContextLengthExceeded
	case status == 400 || status == 413 || status == 422:
		return f.classifyRefusal(status)
	case status == 403 && (f.filtered() || f.has("safety") || f.says("moderation", "safety", "content policy", "content filter")):
		return apperr.ContentFiltered
	case status == 401 || status == 403:
		return apperr.ProviderAuth
	case status == 404:
		return apperr.ProviderModelUnavailable
	case status == 408 || status == 504:
		return apperr.ProviderTimeout
	case status == 503 || status == 529 || status == 498 || f.has("overloaded"):
		return apperr.ProviderOverloaded
	case status < 500:
		return classifyOther(status)
	}
	return apperr.ProviderUpstream
}

// classifyLimit tells a limit of the moment from one of the day, which waiting
// for does not help, and from a machine that is busy.
func (f *fault) classifyLimit(delay time.Duration) apperr.Code {
	switch {
	case f.daily || f.has("resource_exhausted") && (delay > longDelay || f.says("limit: 0")):
		return apperr.ProviderQuotaExhausted
	case f.has("overloaded", "modelnotready"):
		return apperr.ProviderOverloaded
	}
	return apperr.ProviderRateLimited
}

// classifyOther is for statuses by which no upstream of this format refuses a
// request of its own: something else stands at the address, or in the way.
func classifyOther(status int) apperr.Code {
	switch status {
	case 409, 423, 425:
		// Somebody else was faster; clients try such a call again, too.
		return apperr.ProviderOverloaded
	case 424, 499:
		// The upstream's own upstream failed, or was cut off.
		return apperr.ProviderUpstream
	}
	return apperr.ProviderModelUnavailable
}

func (f *fault) classifyRefusal(status int) apperr.Code {
	switch {
	case f.has("api_key_invalid", "invalid_api_key") || f.says("api key not valid"):
		return apperr.ProviderAuth
	case f.has("model_not_found", "modelnotfound", "deploymentnotfound"):
		return apperr.ProviderModelUnavailable
	case f.has("tool_use_failed"):
		// What the model wrote is no tool call: another try may bring one.
		return apperr.ProviderInvalidResponse
	case f.filtered() || f.says("blocked by content filtering", "safety system", "content management policy"):
		return apperr.ContentFiltered
	case status == 413 || f.says("payload size exceeds"):
		return apperr.RequestTooLarge
	}
	return apperr.ProviderBadRequest
}

// filtered tells whether the error's names speak of a filter.
func (f *fault) filtered() bool {
	return f.has("content_filter", "content_policy", "moderation", "responsibleaipolicy")
}

// outOfMoney tells whether it is the account that has nothing left. A limit of
// a minute may speak of plans and billing, too, so that words alone say little.
func (f *fault) outOfMoney() bool {
	return f.has("insufficient_quota", "billing", "credit_balance", "spend_limit", "usage_limit_exceeded", "exceeded_current_quota", "payment_required") ||
		f.says("credit balance is too low", "insufficient balance", "insufficient credits", "out of credits")
}
