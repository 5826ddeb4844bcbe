package policy

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Failure is a kind of failure of an attempt. A failure that is the request's
// own is none of them: it would fail everywhere.
type Failure string

// The kinds.
const (
	// FailConnect is a connection that was not made, or broke.
	FailConnect   Failure = "connect"
	FailTimeout   Failure = "timeout"
	FailRateLimit Failure = "rate_limit"
	FailServer    Failure = "server_error"
	FailOverload  Failure = "overloaded"
	// FailAnswer is an answer that cannot be understood, or is none.
	FailAnswer Failure = "invalid_response"
	// FailAuth and FailQuota are about the gateway's account at the provider.
	FailAuth  Failure = "auth"
	FailQuota Failure = "quota"
	// FailModel is a place that does not serve the model, or not such requests.
	FailModel Failure = "model_unavailable"
	// FailContext is a request too long for the place; only a larger window
	// helps.
	FailContext Failure = "context_length"
)

// failures are all kinds, in the order in which a policy keeps them.
func failures() []Failure {
	return []Failure{
		FailConnect, FailTimeout, FailRateLimit, FailServer, FailOverload,
		FailAnswer, FailAuth, FailQuota, FailModel, FailContext,
	}
}

// FailureOf is the kind of failure that a code stands for, or "".
func FailureOf(code apperr.Code) Failure {
	switch code {
	case apperr.ProviderConnection:
		return FailConnect
	case apperr.ProviderTimeout:
		return FailTimeout
	case apperr.ProviderRateLimited:
		return FailRateLimit
	case apperr.ProviderUpstream, apperr.Internal:
		return FailServer
	case apperr.ProviderOverloaded:
		return FailOverload
	case apperr.ProviderInvalidResponse, apperr.ProviderInterrupted:
		return FailAnswer
	case apperr.ProviderAuth:
		return FailAuth
	case apperr.ProviderQuotaExhausted:
		return FailQuota
	case apperr.ProviderModelUnavailable, apperr.UnsupportedParameter:
		return FailModel
	case apperr.ContextLengthExceeded:
		return FailContext
	}
	return ""
}

// Retries is how a request goes on when an attempt failed before its first
// content.
type Retries struct {
	// Max is how many further attempts a request may make.
	Max int `json:"max"`
	// On are the kinds of failure after which it may; all of them unless
	// written.
	On []Failure `json:"on"`
}

// After tells whether a request may go on after a failure.
func (r Retries) After(f Failure) bool { return slices.Contains(r.On, f) }

const maxRetries = 10

// DefaultRetries holds where a policy says nothing else.
func DefaultRetries() Retries { return Retries{Max: 2, On: failures()} }

func (c *compiler) retries(v value) Retries {
	r := DefaultRetries()
	f := c.fields(v, "max", "on")
	if v, ok := f["max"]; ok {
		r.Max = int(c.integer(v, 0, maxRetries))
	}
	if v, ok := f["on"]; ok {
		r.On = c.failures(v)
	}
	return r
}

// failures reads a list of kinds; how it is ordered means nothing.
func (c *compiler) failures(v value) []Failure {
	var names []string
	for _, f := range failures() {
		names = append(names, string(f))
	}
	written, at := c.texts(v)
	for i := range written {
		c.oneOf(at[i], CodeBadValue, names)
	}
	return slices.DeleteFunc(failures(), func(f Failure) bool { return !slices.Contains(written, string(f)) })
}
