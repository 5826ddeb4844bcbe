package record

import (
	"regexp"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// LimitCodes are the codes of requests that a limit of ours refused.
func LimitCodes() []apperr.Code {
	return []apperr.Code{apperr.RateLimitExceeded, apperr.ConcurrencyLimitExceeded, apperr.BudgetExceeded}
}

// limitText is how the sentence that a client is told names a limit.
var limitText = regexp.MustCompile(`\bthe (key|account)'s (?:limit of \d+ (requests|tokens|concurrent requests)\b|budget of \S+ a (day|month)\b)`)

var limitNames = map[string]string{
	"requests": "requests_per_minute", "tokens": "tokens_per_minute", "concurrent requests": "concurrent_requests",
	"day": "nano_usd_per_day", "month": "nano_usd_per_month",
}

// Limit is which limit refused a request, and whose: the key's or the account's.
// A record has no more of it than the sentence that the client was told; both
// are empty where that does not say.
func (r *Record) Limit() (name, scope string) {
	found := limitText.FindStringSubmatch(r.Error)
	if found == nil {
		return "", ""
	}
	return limitNames[found[2]+found[3]], found[1]
}
