package limits

import (
	"math"
	"math/bits"
	"time"
)

const (
	// minute is both the period of a rate and its burst: after a minute without
	// use, a bucket grants the whole limit at once.
	minute = int64(time.Minute)
	// maxFillTime limits the time until a bucket is full again, regardless of how
	// much was used.
	maxFillTime = int64(24 * time.Hour)
)

// bucket is a rate counter that uses GCRA, the generic cell rate algorithm. fullAt is
// the instant, in nanoseconds since the Limiter was created, at which the bucket is full
// again. The time until fullAt is the used part of the minute. If the limit changes, the
// same fraction of the new limit counts as used.
type bucket struct{ fullAt int64 }

// usedTime returns the used part of the bucket, as the time until it is full again.
func (b bucket) usedTime(now int64) int64 { return max(0, subSaturating(b.fullAt, now)) }

// available returns how many units the bucket can grant.
func (b bucket) available(now, limit int64) int64 {
	return unitsIn(minute-b.usedTime(now), limit)
}

// take uses n units, even if they are not available.
func (b *bucket) take(now, n, limit int64) {
	b.fullAt = now + min(maxFillTime, addSaturating(b.usedTime(now), timeFor(n, limit)))
}

// giveBack makes n used units available again.
func (b *bucket) giveBack(now, n, limit int64) {
	b.fullAt = now + max(0, b.usedTime(now)-timeFor(n, limit))
}

// waitFor returns the time until n units are available.
func (b bucket) waitFor(now, n, limit int64) time.Duration {
	return time.Duration(max(0, addSaturating(b.usedTime(now), timeFor(n, limit))-minute))
}

// unitsIn returns how many units of a limit per minute accrue in a duration.
func unitsIn(t, limit int64) int64 { return mulDiv(t, limit, minute) }

// timeFor returns the time in which n units accrue. It rounds down, because a
// whole limit must fit into a minute.
func timeFor(n, limit int64) int64 { return mulDiv(n, minute, limit) }

// mulDiv returns a*b/c. It returns math.MaxInt64 if the result is too large, and 0 if
// a, b or c is not positive.
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

// addSaturating returns a+b, limited to the range of int64.
func addSaturating(a, b int64) int64 {
	s := a + b
	if a > 0 && b > 0 && s < 0 {
		return math.MaxInt64
	}
	if a < 0 && b < 0 && s >= 0 {
		return math.MinInt64
	}
	return s
}

// subSaturating returns a-b, limited to the range of int64.
func subSaturating(a, b int64) int64 {
	if b == math.MinInt64 {
		return math.MaxInt64
	}
	return addSaturating(a, -b)
}
