package policy

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Failure is a class of failed attempts after which another attempt may succeed. A failure
// that every candidate would repeat, such as an invalid request, has no class.
type Failure string

// These are the failure classes.
const (
	FailConnect          Failure = "connect"           // no connection was made, or it was lost; if it was lost, the provider may have served the request
	FailTimeout          Failure = "timeout"           // the provider did not respond in time
	FailRateLimit        Failure = "rate_limit"        // the provider rate-limited the request
	FailServerError      Failure = "server_error"      // the provider returned a server error, or the gateway had an internal error
	FailOverloaded       Failure = "overloaded"        // the provider is overloaded
	FailInvalidResponse  Failure = "invalid_response"  // the response is empty, was interrupted or cannot be parsed
	FailAuth             Failure = "auth"              // the provider rejected the gateway's credential
	FailQuota            Failure = "quota"             // the gateway's quota at the provider is exhausted
	FailModelUnavailable Failure = "model_unavailable" // the provider does not serve the model or the request
	FailContextLength    Failure = "context_length"    // the request is too long; only a larger context window helps
)

// allFailures returns all classes in canonical order.
func allFailures() []Failure {
	return []Failure{
		FailConnect, FailTimeout, FailRateLimit, FailServerError, FailOverloaded,
		FailInvalidResponse, FailAuth, FailQuota, FailModelUnavailable, FailContextLength,
	}
}

// FailureForCode returns the failure class of an error code, or "" if it has none.
func FailureForCode(code apperr.Code) Failure {
	switch code {
	case apperr.ProviderConnection:
		return FailConnect
	case apperr.ProviderTimeout:
		return FailTimeout
	case apperr.ProviderRateLimited:
		return FailRateLimit
	case apperr.ProviderUpstream, apperr.Internal:
		return FailServerError
	case apperr.ProviderOverloaded:
		return FailOverloaded
	case apperr.ProviderInvalidResponse, apperr.ProviderInterrupted:
		return FailInvalidResponse
	case apperr.ProviderAuth:
		return FailAuth
	case apperr.ProviderQuotaExhausted:
		return FailQuota
	case apperr.ProviderModelUnavailable, apperr.UnsupportedParameter:
		return FailModelUnavailable
	case apperr.ContextLengthExceeded:
		return FailContextLength
	}
	return ""
}

// Retries configures how often a request is tried again. A failed attempt is retried only
// if it has not returned any content yet.
type Retries struct {
	// Max is the number of further attempts per request.
	Max int `json:"max"`
	// On lists the failure classes after which another attempt is made. The default is
	// all classes.
	On []Failure `json:"on"`
}

// AllowsAfter reports whether a failure of this class allows another attempt.
func (r Retries) AllowsAfter(f Failure) bool { return slices.Contains(r.On, f) }

const maxRetries = 10

// DefaultRetries returns the values that apply if a policy does not set them.
func DefaultRetries() Retries { return Retries{Max: 2, On: allFailures()} }

func (c *compiler) readRetries(v value) Retries {
	r := DefaultRetries()
	f := c.readFields(v, "max", "on")
	if v, ok := f["max"]; ok {
		r.Max = int(c.readInteger(v, 0, maxRetries))
	}
	setField(f, "on", &r.On, c.readFailures)
	return r
}

// readFailures reads a list of failure classes and returns them in canonical order.
func (c *compiler) readFailures(v value) []Failure {
	var names []string
	for _, f := range allFailures() {
		names = append(names, string(f))
	}
	written, at := c.readStrings(v)
	for i := range written {
		c.readOneOf(at[i], CodeBadValue, names)
	}
	return slices.DeleteFunc(allFailures(), func(f Failure) bool { return !slices.Contains(written, string(f)) })
}
