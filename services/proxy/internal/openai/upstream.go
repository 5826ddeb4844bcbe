package openai

import (
	"strconv"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// UpstreamError is the error for an upstream's answer with a status of 400 or
// more, in whatever format it speaks. Details are upstream_status, and where
// known upstream_code, param (the field it is about), limit and requested (the
// tokens of a context that is too small) and categories (of a filter). The
// upstream's own words are in the message and in upstream_message, but only
// where they are about the client's request, and without what looks like a
// credential or an address. Header is read for how long to wait; its names are
// canonical, as net/http's are.
func UpstreamError(status int, header map[string][]string, body []byte) *apperr.Error {
	f := readFault(body)
	delay := f.retryAfter(header, time.Now())
	e := f.toError(status, delay).With("upstream_status", status)
	if delay > 0 {
		e = e.After(delay)
	}
	if first(header, "X-Should-Retry") == "false" {
		e = e.Final()
	}
	return e
}

// InBandError is the error for a body or an event that says error under the
// status 200: mapped by what it says, else PROVIDER_INVALID_RESPONSE.
func InBandError(body []byte) *apperr.Error {
	f := readFault(body)
	status := f.guessStatus()
	if status == 0 {
		return f.describe(apperr.New(apperr.ProviderInvalidResponse, "the provider answered with an error"))
	}
	delay := f.retryAfter(nil, time.Now())
	e := f.toError(status, delay).With("upstream_status", status)
	if delay > 0 {
		e = e.After(delay)
	}
	return e
}

func (f *fault) toError(status int, delay time.Duration) *apperr.Error {
	code := f.classify(status, delay)
	if code == apperr.ProviderAuth {
		return apperr.New(code, "the provider refused the gateway's credential")
	}
	return f.describe(apperr.New(code, f.wording(code, status)))
}

func (f *fault) describe(e *apperr.Error) *apperr.Error {
	if f.code != "" {
		e = e.With("upstream_code", f.code)
	}
	if f.message != "" && aboutRequest(e.Code) {
		e = e.With("upstream_message", f.message)
	}
	switch e.Code {
	case apperr.ContentFiltered:
		e = e.With("source", "provider")
		if len(f.categories) > 0 {
			e = e.With("categories", f.categories)
		}
	case apperr.ContextLengthExceeded:
		if f.limit > 0 {
			e = e.With("limit", f.limit).With("requested", f.requested)
		}
	case apperr.ProviderBadRequest:
		if f.param != "" {
			e = e.With("param", f.param)
		}
	}
	return e
}

// aboutRequest tells whether the upstream's words are about what the client
// sent. All others are about our account and their machines.
func aboutRequest(code apperr.Code) bool {
	switch code {
	case apperr.ProviderBadRequest, apperr.ContextLengthExceeded, apperr.ContentFiltered, apperr.RequestTooLarge:
		return true
	}
	return false
}

// wording is what the client reads. Clients recognise a full context by either
// of two phrases, and take a rate limit for a bill where the text speaks of
// money, so that theirs is never quoted there.
func (f *fault) wording(code apperr.Code, status int) string {
	switch code {
	case apperr.ContextLengthExceeded:
		s := "context_length_exceeded: the request is longer than the model's maximum context length"
		if f.message != "" {
			s += ": " + f.message
		}
		return s
	case apperr.ProviderBadRequest, apperr.ContentFiltered, apperr.RequestTooLarge:
		if f.message != "" {
			return f.message
		}
		return "the provider refused the request"
	case apperr.ProviderRateLimited:
		return "the provider limits the rate of requests"
	case apperr.ProviderOverloaded:
		return "the provider is overloaded"
	case apperr.ProviderTimeout:
		return "the provider did not answer in time"
	case apperr.ProviderQuotaExhausted:
		return "the gateway's quota at the provider is used up"
	case apperr.ProviderModelUnavailable:
		return "the provider does not serve the model"
	case apperr.ProviderInvalidResponse:
		return "the model wrote a tool call that the provider could not read"
	}
	return "the provider answered " + strconv.Itoa(status)
}
