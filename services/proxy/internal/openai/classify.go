package openai

import "github.com/signalbox/signalbox/pkg/apperr"

func (f *fault) guessStatus() int {
	switch {
	case f.status != 0:
		return f.status
	case f.has("rate_limit", "too_many", "throttl", "resource_exhausted"):
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
	case f.has("insufficient_quota", "billing"):
		return 402
	case f.has("context_length") || f.filtered():
		return 400
	}
	return 0
}

func (f *fault) classify(status int) apperr.Code {
	switch {
	case status == 402 || f.has("insufficient_quota", "billing") && status < 500:
		return apperr.ProviderQuotaExhausted
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
	case status == 429:
		return apperr.ProviderRateLimited
	case status == 503 || status == 529 || f.has("overloaded"):
		return apperr.ProviderOverloaded
	case status < 500:
		return classifyOther(status)
	}
	return apperr.ProviderUpstream
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
	case f.has("context_length") || f.says("context_length_exceeded", "maximum context length",
		"context window", "prompt is too long", "context length"):
		return apperr.ContextLengthExceeded
	case f.filtered():
		return apperr.ContentFiltered
	case status == 413:
		return apperr.RequestTooLarge
	}
	return apperr.ProviderBadRequest
}

// filtered tells whether the error's names speak of a filter.
func (f *fault) filtered() bool { return f.has("content_filter", "content_policy", "moderation") }
