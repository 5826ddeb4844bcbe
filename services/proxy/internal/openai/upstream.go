package openai

import (
	"strconv"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// UpstreamError is the error for an upstream's answer with a status of 400 or
// more. Details are upstream_status, and upstream_code where known. The
// upstream's own words are in the message and in upstream_message, but only
// where they are about the client's request, and without what looks like a
// credential or an address. Header is read for Retry-After; its names are
// canonical, as net/http's are.
func UpstreamError(status int, header map[string][]string, body []byte) *apperr.Error {
	f := readFault(body)
	e := f.toError(status).With("upstream_status", status)
	if d := retryAfter(header, time.Now()); d > 0 {
		e = e.After(d)
	}
	return e
}

// inBandError is the error for a body or an event that says error under the
// status 200: mapped by what it says, else PROVIDER_INVALID_RESPONSE.
func inBandError(body []byte) *apperr.Error {
	f := readFault(body)
	if status := f.guessStatus(); status != 0 {
		return f.toError(status).With("upstream_status", status)
	}
	return f.describe(apperr.New(apperr.ProviderInvalidResponse, "the provider answered with an error"))
}

func (f *fault) toError(status int) *apperr.Error {
	code := f.classify(status)
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
	if e.Code == apperr.ContentFiltered {
		e = e.With("source", "provider")
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
	}
	return "the provider answered " + strconv.Itoa(status)
}

// maxDelay bounds what an upstream may ask us to wait.
const maxDelay = 24 * time.Hour

// retryAfter reads the delay in each of its forms: milliseconds, seconds, date.
func retryAfter(header map[string][]string, now time.Time) time.Duration {
	if ms, ok := seconds(first(header, "Retry-After-Ms")); ok {
		return clamp(ms / 1000)
	}
	v := first(header, "Retry-After")
	if s, ok := seconds(v); ok {
		return clamp(s)
	}
	at, err := time.Parse(time.RFC1123, v)
	if err != nil {
		return 0
	}
	return clamp(at.Sub(now).Seconds())
}

func first(header map[string][]string, name string) string {
	if v := header[name]; len(v) > 0 {
		return strings.TrimSpace(v[0])
	}
	return ""
}

func seconds(s string) (float64, bool) {
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && f == f
}

func clamp(seconds float64) time.Duration {
	return time.Duration(min(max(0, seconds), maxDelay.Seconds()) * float64(time.Second))
}
