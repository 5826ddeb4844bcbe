package limits

import (
	"math"
	"math/bits"
	"time"
)

const (
	// minute is both the unit of a rate and its burst: a bucket that was left
	// alone for a minute grants a whole limit at once.
	minute = int64(time.Minute)
	// ahead bounds how long a bucket takes to fill, whatever was used.
	ahead = int64(24 * time.Hour)
)

// bucket is a GCRA counter: the instant at which it is full. What is used of
// it is the time until then, whatever the limit is, so that a changed limit
// finds it as used as it was.
type bucket struct{ full int64 }

// used is how much of a minute is taken, in time.
func (b bucket) used(now int64) int64 { return max(0, sub(b.full, now)) }

// room is how many units it grants.
func (b bucket) room(now, limit int64) int64 {
	return units(minute-b.used(now), limit)
}

// add takes units, also those that it does not have.
func (b *bucket) add(now, n, limit int64) {
	b.full = now + min(ahead, add(b.used(now), span(n, limit)))
}

// back returns units.
func (b *bucket) back(now, n, limit int64) {
	b.full = now + max(0, b.used(now)-span(n, limit))
}

// wait is how long it takes until it grants n.
func (b bucket) wait(now, n, limit int64) time.Duration {
	return time.Duration(max(0, add(b.used(now), span(n, limit))-minute))
}

// units is how many a limit per minute has in a span of time.
func units(t, limit int64) int64 { return mulDiv(t, limit, minute) }

// span is the time that units take to come. It is rounded down: a whole limit
// must fit into a minute.
func span(n, limit int64) int64 { return mulDiv(n, minute, limit) }

// mulDiv is a*b/c, 0 where a or b is negative, and saturates.
func mulDiv(a, b, c int64) int64 {
	if a <= 0 || b <= 0 || c <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(min(q, math.MaxInt64))
}

// add is a+b, and saturates.
func add(a, b int64) int64 {
	s := a + b
	if a > 0 && b > 0 && s < 0 {
		return math.MaxInt64
	}
	if a < 0 && b < 0 && s >= 0 {
		return math.MinInt64
	}
	return s
}

// sub is a-b, and saturates.
func sub(a, b int64) int64 {
	if b == math.MinInt64 {
		return math.MaxInt64
	}
	return add(a, -b)
}
