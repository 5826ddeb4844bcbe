package engine

import "time"

// buckets is how finely a window moves on.
const buckets = 10

// window counts the outcomes of the last while, of one length for all its life.
type window [buckets]struct {
	// at tells which stretch of time it is the count of.
	at                int64
	succeeded, failed int64
}

func stretch(now time.Time, length time.Duration) int64 {
	return now.UnixNano() / max(int64(length)/buckets, 1)
}

func (w *window) add(now time.Time, length time.Duration, failed bool) {
	at := stretch(now, length)
	c := &w[at%buckets]
	if c.at != at {
		c.at, c.succeeded, c.failed = at, 0, 0
	}
	if failed {
		c.failed++
		return
	}
	c.succeeded++
}

func (w *window) sum(now time.Time, length time.Duration) (succeeded, failed int64) {
	newest := stretch(now, length)
	for _, c := range w {
		if c.at > newest-buckets && c.at <= newest {
			succeeded += c.succeeded
			failed += c.failed
		}
	}
	return succeeded, failed
}
