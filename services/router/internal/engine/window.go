package engine

import "time"

// bucketCount is the number of buckets of a window.
const bucketCount = 10

// window counts outcomes in a sliding time window. All calls on one window must use
// the same length.
type window [bucketCount]struct {
	// at is the number of the period that the bucket counts.
	at                int64
	succeeded, failed int64
}

func bucketIndex(now time.Time, length time.Duration) int64 {
	return now.UnixNano() / max(int64(length)/bucketCount, 1)
}

func (w *window) add(now time.Time, length time.Duration, failed bool) {
	at := bucketIndex(now, length)
	c := &w[at%bucketCount]
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
	newest := bucketIndex(now, length)
	for _, c := range w {
		if c.at > newest-bucketCount && c.at <= newest {
			succeeded += c.succeeded
			failed += c.failed
		}
	}
	return succeeded, failed
}
