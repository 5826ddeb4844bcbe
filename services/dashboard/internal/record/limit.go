package record

import (
	"regexp"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// LimitCodes returns the error codes of requests that a limit rejected.
func LimitCodes() []apperr.Code {
	return []apperr.Code{apperr.RateLimitExceeded, apperr.ConcurrencyLimitExceeded, apperr.BudgetExceeded}
}

// limitPattern finds the limit in the error message that the client received. It
// must match the messages of the proxy.
var limitPattern = regexp.MustCompile(`\bthe (key|account)'s (?:limit of \d+ (request|token|concurrent request)s?\b|budget of \S+ a (day|month)\b)`)

// groupPattern finds the window of a group budget in the error message. A quoted name has no
// quote that is not escaped.
var groupPattern = regexp.MustCompile(`^the budget "(?:[^"\\]|\\.)*" of \S+ (?:an? (hour|day|week|month)|in (total))\b`)

var limitNames = map[string]string{
	"request": "requests_per_minute", "token": "tokens_per_minute", "concurrent request": "concurrent_requests",
	"hour": "nano_usd_per_hour", "day": "nano_usd_per_day", "week": "nano_usd_per_week", "month": "nano_usd_per_month", "total": "nano_usd_total",
}

// RejectingLimit returns the name of the limit that rejected the request, and its
// scope: "key", "account" or "budget". It parses the error message, because no other field
// of the record contains the limit. Both results are empty if the message
// mentions no limit.
func (r *Record) RejectingLimit() (name, scope string) {
	if group := groupPattern.FindStringSubmatch(r.Error); group != nil {
		return limitNames[group[1]+group[2]], "budget"
	}
	found := limitPattern.FindStringSubmatch(r.Error)
	if found == nil {
		return "", ""
	}
	return limitNames[found[2]+found[3]], found[1]
}
