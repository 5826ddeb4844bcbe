package policy

import "time"

// Breaker configures when a candidate counts as down. A candidate is down when its error
// rate within Window reaches ErrorRate, or after MinRequests consecutive failures.
type Breaker struct {
	Window time.Duration `json:"window"`
	// MinRequests is the number of attempts below which the error rate is ignored.
	// MinRequests consecutive failures also open the breaker.
	MinRequests int64 `json:"min_requests"`
	// ErrorRate is in thousandths.
	ErrorRate int64 `json:"error_rate"`
	// OpenDuration is how long the breaker stays open at first. If the breaker opens
	// again soon after it closed, the duration doubles, up to MaxOpen.
	OpenDuration time.Duration `json:"open"`
}

// MaxOpen is the longest time for which failures keep a breaker open.
const MaxOpen = 5 * time.Minute

// Trips reports whether the failures among the attempts open the breaker.
func (b Breaker) Trips(failed, attempts int64) bool {
	return failed > 0 && attempts >= b.MinRequests && failed*1000 >= b.ErrorRate*attempts
}

// maxMinRequests is the largest allowed min_requests. At this value the breaker
// practically never opens.
const maxMinRequests = 1_000_000

// DefaultBreaker returns the values that apply if a policy does not set them.
func DefaultBreaker() Breaker {
	return Breaker{Window: 30 * time.Second, MinRequests: 10, ErrorRate: 500, OpenDuration: 15 * time.Second}
}

func (c *compiler) readBreaker(v value) Breaker {
	b := DefaultBreaker()
	f := c.readFields(v, "window", "min_requests", "error_rate", "open")
	setField(f, "window", &b.Window, c.durationBetween(time.Second, 10*time.Minute))
	setField(f, "min_requests", &b.MinRequests, c.integerUpTo(maxMinRequests))
	setField(f, "error_rate", &b.ErrorRate, c.readShare)
	setField(f, "open", &b.OpenDuration, c.durationBetween(100*time.Millisecond, MaxOpen))
	return b
}

// durationBetween returns a function that reads a duration from shortest to longest.
func (c *compiler) durationBetween(shortest, longest time.Duration) func(value) time.Duration {
	return func(v value) time.Duration {
		d := c.readDuration(v)
		if d > 0 && d <= maxDuration && (d < shortest || d > longest) {
			c.reportProblem(v, CodeBadValue, "must be a duration from %s to %s", shortest, longest)
		}
		return d
	}
}

// readShare reads a number from 0.001 to 1 and returns thousandths.
func (c *compiler) readShare(v value) int64 {
	text, ok := c.readString(v)
	if !ok {
		return 0
	}
	n, err := parseDecimal(text, 3)
	if err != nil || n < 1 || n > 1000 {
		c.reportProblem(v, CodeBadValue, "must be a number from 0.001 to 1")
	}
	return n
}
