package policy

import "time"

// Breaker is when a target is taken out of use: when so many of its attempts
// within the window failed, or so many in a row, however long that took.
type Breaker struct {
	Window time.Duration `json:"window"`
	// MinRequests is how many attempts say anything.
	MinRequests int64 `json:"min_requests"`
	// ErrorRate is in thousandths.
	ErrorRate int64 `json:"error_rate"`
	// Open is how long it is out of use at first; every time that follows soon
	// is twice as long.
	Open time.Duration `json:"open"`
}

// LongestOpen bounds how long a breaker stays open.
const LongestOpen = 5 * time.Minute

// Trips tells whether so many failures among so many attempts are too many.
func (b Breaker) Trips(failed, attempts int64) bool {
	return failed > 0 && attempts >= b.MinRequests && failed*1000 >= b.ErrorRate*attempts
}

// maxMinRequests is as good as no breaker.
const maxMinRequests = 1_000_000

// DefaultBreaker holds where a policy has none of its own.
func DefaultBreaker() Breaker {
	return Breaker{Window: 30 * time.Second, MinRequests: 10, ErrorRate: 500, Open: 15 * time.Second}
}

func (c *compiler) breaker(v value) Breaker {
	b := DefaultBreaker()
	f := c.fields(v, "window", "min_requests", "error_rate", "open")
	if v, ok := f["window"]; ok {
		b.Window = c.span(v, time.Second, 10*time.Minute)
	}
	if v, ok := f["min_requests"]; ok {
		b.MinRequests = c.integer(v, 1, maxMinRequests)
	}
	if v, ok := f["error_rate"]; ok {
		b.ErrorRate = c.share(v)
	}
	if v, ok := f["open"]; ok {
		b.Open = c.span(v, 100*time.Millisecond, LongestOpen)
	}
	return b
}

// span is a length of time within bounds.
func (c *compiler) span(v value, least, most time.Duration) time.Duration {
	d := c.duration(v)
	if d > 0 && d <= longest && (d < least || d > most) {
		c.fail(v, CodeBadValue, "want a length of time from %s to %s", least, most)
	}
	return d
}

// share is a part of a whole that is not nothing, in thousandths.
func (c *compiler) share(v value) int64 {
	text, ok := c.text(v)
	if !ok {
		return 0
	}
	n, err := decimal(text, 3)
	if err != nil || n < 1 || n > 1000 {
		c.fail(v, CodeBadValue, "want a share from 0.001 to 1")
	}
	return n
}
