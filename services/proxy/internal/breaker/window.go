package breaker

import "time"

// bucketCount is the number of parts of the sliding window.
const bucketCount = 10

// window counts the calls in a sliding window of time.
type window struct {
	buckets [bucketCount]bucket
}

type bucket struct {
	// number identifies the time span whose calls this bucket counts.
	number                  int64
	good, failed, unreached int64
}

func (c bucket) total() int64 { return c.good + c.failed + c.unreached }

// bucketNumber returns the number of the current time span.
func bucketNumber(now time.Time, length time.Duration) int64 {
	return now.UnixNano() / max(int64(length)/bucketCount, 1)
}

// currentBucket returns the bucket of the current time span. It clears the bucket
// first if that belongs to an older span.
func (w *window) currentBucket(now time.Time, length time.Duration) *bucket {
	at := bucketNumber(now, length)
	c := &w.buckets[at%bucketCount]
	if c.number != at {
		*c = bucket{number: at}
	}
	return c
}

func (w *window) sum(now time.Time, length time.Duration) bucket {
	var sum bucket
	newest := bucketNumber(now, length)
	for _, c := range w.buckets {
		if c.number > newest-bucketCount && c.number <= newest {
			sum.good += c.good
			sum.failed += c.failed
			sum.unreached += c.unreached
		}
	}
	return sum
}
