package engine

import "time"

const bucketCount = 10

// window counts outcomes in a sliding time window. Its methods expect the length of the
// window. After a change of the length, the earlier counts are ignored.
type window [bucketCount]struct {
	// at is the index of the period that the bucket counts. A period is a tenth of the
	// window. Periods are numbered from 1970 on.
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
