package upstreamerror

import (
	"strconv"
	"strings"
	"time"
)

const (
	// maxDelay is the maximum delay that we accept from an upstream.
	maxDelay = 24 * time.Hour
	// longDelay is longer than the delays of per-minute limits. A longer delay
	// indicates an exhausted quota.
	longDelay = 5 * time.Minute
)

// parseRetryAfter returns how long to wait before a retry. It checks the headers first
// (milliseconds, seconds or a date), then the fields of the error, then its text.
func (f *reportedError) parseRetryAfter(header map[string][]string, now time.Time) time.Duration {
	if ms, ok := parseFloat(firstHeader(header, "Retry-After-Ms")); ok {
		return clampDelay(ms / 1000)
	}
	v := firstHeader(header, "Retry-After")
	if s, ok := parseFloat(v); ok {
		return clampDelay(s)
	}
	if at, err := time.Parse(time.RFC1123, v); err == nil {
		return clampDelay(at.Sub(now).Seconds())
	}
	if f.delay > 0 {
		return clampDelay(f.delay.Seconds())
	}
	return clampDelay(f.delayInText().Seconds())
}

// delayInText finds a delay in text: "try again in 5.289s", "retry in 46 seconds".
func (f *reportedError) delayInText() time.Duration {
	text := strings.ToLower(f.message + " " + f.extraText)
	for _, phrase := range []string{"try again in ", "retry in ", "retry after "} {
		if _, rest, ok := strings.Cut(text, phrase); ok {
			if d, ok := parseDelayText(rest); ok {
				return d
			}
		}
	}
	return 0
}

// parseDelayText parses a duration at the start of a text, such as "6m0s" or
// "46 seconds".
func parseDelayText(text string) (time.Duration, bool) {
	number, rest, _ := strings.Cut(text, " ")
	number = strings.TrimRight(number, ".,;)")
	if d, err := time.ParseDuration(number); err == nil {
		return d, true
	}
	n, ok := parseFloat(number)
	switch {
	case !ok:
		return 0, false
	case strings.HasPrefix(rest, "m") && !strings.HasPrefix(rest, "ms") && !strings.HasPrefix(rest, "mil"):
		n *= 60
	case strings.HasPrefix(rest, "m"):
		n /= 1000
	case strings.HasPrefix(rest, "h"):
		n *= 3600
	}
	return clampDelay(n), true
}

func firstHeader(header map[string][]string, name string) string {
	if v := header[name]; len(v) > 0 {
		return strings.TrimSpace(v[0])
	}
	return ""
}

func parseFloat(s string) (float64, bool) {
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && f == f
}

func clampDelay(seconds float64) time.Duration {
	return time.Duration(min(max(0, seconds), maxDelay.Seconds()) * float64(time.Second))
}
