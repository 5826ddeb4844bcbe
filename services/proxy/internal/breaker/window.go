package breaker

import "time"

// buckets is how finely the window moves on.
const buckets = 10

// window counts the calls of the last while.
type window struct {
	counts [buckets]counts
}

type counts struct {
	// at tells which stretch of time it is the count of.
	at                      int64
	good, failed, unreached int64
}

func (c counts) all() int64 { return c.good + c.failed + c.unreached }

// stretch is the number of the present bucket's time.
func stretch(now time.Time, length time.Duration) int64 {
	return now.UnixNano() / max(int64(length)/buckets, 1)
}

// count is the present bucket, emptied if it was another's.
func (w *window) count(now time.Time, length time.Duration) *counts {
	at := stretch(now, length)
	c := &w.counts[at%buckets]
	if c.at != at {
		*c = counts{at: at}
	}
	return c
}

func (w *window) sum(now time.Time, length time.Duration) counts {
	var sum counts
	newest := stretch(now, length)
	for _, c := range w.counts {
		if c.at > newest-buckets && c.at <= newest {
			sum.good += c.good
			sum.failed += c.failed
			sum.unreached += c.unreached
		}
	}
	return sum
}
