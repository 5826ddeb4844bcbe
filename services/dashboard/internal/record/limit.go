package record

import (
	"regexp"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// LimitCodes returns the error codes of requests that a limit rejected.
func LimitCodes() []apperr.Code {
	return []apperr.Code{apperr.RateLimitExceeded, apperr.ConcurrencyLimitExceeded, apperr.BudgetExceeded}
}

// limitPattern finds the limit in the error message that the client received.
var limitPattern = regexp.MustCompile(`\bthe (key|account)'s (?:limit of \d+ (requests|tokens|concurrent requests)\b|budget of \S+ a (day|month)\b)`)

var limitNames = map[string]string{
	"requests": "requests_per_minute", "tokens": "tokens_per_minute", "concurrent requests": "concurrent_requests",
	"day": "nano_usd_per_day", "month": "nano_usd_per_month",
}

// RejectingLimit returns the limit that rejected the request, and whether it is
// the key's or the account's. It parses the error message, because no other
// field of the record contains the limit. Both results are empty if the message
// names no limit.
func (r *Record) RejectingLimit() (name, scope string) {
	found := limitPattern.FindStringSubmatch(r.Error)
	if found == nil {
		return "", ""
	}
	return limitNames[found[2]+found[3]], found[1]
}
