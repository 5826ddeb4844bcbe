package engine

import "time"

const bucketCount = 10

// window counts outcomes in a sliding time window. If a call uses another length than
// earlier calls, the earlier counts are ignored.
type window [bucketCount]struct {
	// at is the number of the period that the bucket counts, since 1970.
	at                int64
	succeeded, failed int64
}

func periodNumber(now time.Time, length time.Duration) int64 {
	return now.UnixNano() / max(int64(length)/bucketCount, 1)
}

func (w *window) add(now time.Time, length time.Duration, failed bool) {
	at := periodNumber(now, length)
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
	newest := periodNumber(now, length)
	for _, c := range w {
		if c.at > newest-bucketCount && c.at <= newest {
			succeeded += c.succeeded
			failed += c.failed
		}
	}
	return succeeded, failed
}
