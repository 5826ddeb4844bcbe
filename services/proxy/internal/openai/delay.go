package openai

import (
	"strconv"
	"strings"
	"time"
)

const (
	// maxDelay bounds what an upstream may ask us to wait.
	maxDelay = 24 * time.Hour
	// longDelay is beyond what limits of a minute ask for.
	longDelay = 5 * time.Minute
)

// retryAfter is how long to wait, told in each of its forms: milliseconds,
// seconds or a date in the header, else by the error itself, else in its words.
func (f *fault) retryAfter(header map[string][]string, now time.Time) time.Duration {
	if ms, ok := seconds(first(header, "Retry-After-Ms")); ok {
		return clamp(ms / 1000)
	}
	v := first(header, "Retry-After")
	if s, ok := seconds(v); ok {
		return clamp(s)
	}
	if at, err := time.Parse(time.RFC1123, v); err == nil {
		return clamp(at.Sub(now).Seconds())
	}
	if f.delay > 0 {
		return clamp(f.delay.Seconds())
	}
	return clamp(f.spoken().Seconds())
}

// spoken is the delay in the words "try again in 5.289s" or "retry in 46 seconds".
func (f *fault) spoken() time.Duration {
	text := strings.ToLower(f.message + " " + f.more)
	for _, phrase := range []string{"try again in ", "retry in ", "retry after "} {
		if _, rest, ok := strings.Cut(text, phrase); ok {
			if d, ok := words(rest); ok {
				return d
			}
		}
	}
	return 0
}

// words reads a length of time at the beginning of a text: 6m0s, or 46 seconds.
func words(text string) (time.Duration, bool) {
	number, rest, _ := strings.Cut(text, " ")
	number = strings.TrimRight(number, ".,;)")
	if d, err := time.ParseDuration(number); err == nil {
		return d, true
	}
	n, ok := seconds(number)
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
	return clamp(n), true
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
