package failure

import "regexp"

// Limit is the kind of limit that rejected a request.
type Limit string

// The kinds of limits.
const (
	TokensPerMinute   Limit = "tokens_per_minute"
	RequestsPerMinute Limit = "requests_per_minute"
	Concurrent        Limit = "concurrent_requests"
	PerDay            Limit = "nano_usd_per_day"
	PerMonth          Limit = "nano_usd_per_month"
)

// The proxy's error messages contain these words (services/proxy/internal/limits). The
// store recognizes the kind and the scope of a limit by them, and so do the filters of the
// groups.
const (
	TokenWords   = "tokens per minute"
	DayWords     = " a day "
	AccountWords = "the account's "
)

var limitPattern = regexp.MustCompile(`\bthe (?:key|account)'s (limit of \d+ (?:requests?|tokens?) per minute|limit of \d+ concurrent requests?|budget of \S+ a (?:day|month))\b`)

// describeLimit returns the limit that an error message names, such as "limit of 3 requests
// per minute". It returns the fallback if the message names none.
func describeLimit(message, fallback string) string {
	if found := limitPattern.FindStringSubmatch(message); found != nil {
		return found[1]
	}
	return fallback
}
