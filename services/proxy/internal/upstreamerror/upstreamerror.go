// Package upstreamerror maps the errors of upstreams, in any format, to our error codes.
//
// Parse handles a response with an error status, and ParseInBand an error in a response
// with status 200. Both find out how long to wait before a retry. The texts that they pass
// on contain no credentials and no private addresses. InvalidResponse is the error for a
// response that cannot be passed on to a client.
//
// The package contains no code that is specific to one provider. The provider adapters and
// the packages normalize and sse use it.
package upstreamerror

import (
	"strconv"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Parse returns the error for an upstream response with a status of
// 400 or more, in any format.
//
// Its details are upstream_status and, if known, the following: upstream_code, param (the
// field that caused the error), categories (the findings of a content filter), and limit
// and requested (the tokens of an exceeded context). The upstream's text appears in the
// message and in upstream_message only if the error is about the client's request.
// Credentials and private addresses in the text are redacted. The retry delay comes from the
// header or from the body. The names in header must be in canonical form, as in net/http.
func Parse(status int, header map[string][]string, body []byte) *apperr.Error {
	f := parseReportedError(body)
	delay := f.parseRetryAfter(header, time.Now())
	e := f.toError(status, delay).With("upstream_status", status)
	if delay > 0 {
		e = e.WithRetryAfter(delay)
	}
	if firstHeader(header, "X-Should-Retry") == "false" {
		e = e.WithoutRetry()
	}
	return e
}

// ParseInBand returns the error for a body or event that reports an error
// although the status is 200. The error is PROVIDER_INVALID_RESPONSE if its kind is
// unknown.
func ParseInBand(body []byte) *apperr.Error {
	f := parseReportedError(body)
	status := f.guessStatus()
	if status == 0 {
		return f.addDetails(apperr.New(apperr.ProviderInvalidResponse, "the provider returned an error"))
	}
	delay := f.parseRetryAfter(nil, time.Now())
	e := f.toError(status, delay).With("upstream_status", status)
	if delay > 0 {
		e = e.WithRetryAfter(delay)
	}
	return e
}

func (f *reportedError) toError(status int, delay time.Duration) *apperr.Error {
	code := f.classify(status, delay)
	if code == apperr.ProviderAuth {
		return apperr.New(code, "the provider rejected the gateway's credential")
	}
	return f.addDetails(apperr.New(code, f.clientMessage(code, status)))
}

// addDetails adds the details that fit the code of the error.
func (f *reportedError) addDetails(e *apperr.Error) *apperr.Error {
	if f.code != "" {
		e = e.With("upstream_code", f.code)
	}
	if f.message != "" && isAboutRequest(e.Code) {
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

// isAboutRequest reports whether errors with this code are about the client's
// request. The texts of other errors are about our account or the upstream's servers.
func isAboutRequest(code apperr.Code) bool {
	switch code {
	case apperr.ProviderBadRequest, apperr.ContextLengthExceeded, apperr.ContentFiltered, apperr.RequestTooLarge:
		return true
	}
	return false
}

// clientMessage returns the message for the client. Clients recognize an exceeded
// context by one of two phrases, so the message contains both. A rate limit has a fixed
// message: if the message mentioned money, clients would assume a billing problem.
func (f *reportedError) clientMessage(code apperr.Code, status int) string {
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
		return "the provider rejected the request"
	case apperr.ProviderRateLimited:
		return "the provider rate-limited the request"
	case apperr.ProviderOverloaded:
		return "the provider is overloaded"
	case apperr.ProviderTimeout:
		return "the provider did not respond in time"
	case apperr.ProviderQuotaExhausted:
		return "the gateway's quota at the provider is exhausted"
	case apperr.ProviderModelUnavailable:
		return "the provider does not serve this model"
	case apperr.ProviderInvalidResponse:
		return "the model produced a tool call that the provider could not parse"
	}
	return "the provider returned status " + strconv.Itoa(status)
}

// InvalidResponse returns the error for a response that cannot be passed on to a client.
func InvalidResponse(reason string) *apperr.Error {
	return apperr.New(apperr.ProviderInvalidResponse, "the provider's response could not be parsed").
		With("reason", reason)
}
