package limits

import (
	"time"

	"github.com/signalbox/signalbox/pkg/saturate"
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
func (b bucket) usedTime(now int64) int64 { return max(0, saturate.Sub(b.fullAt, now)) }

// available returns how many units the bucket can grant.
func (b bucket) available(now, limit int64) int64 {
	return unitsIn(minute-b.usedTime(now), limit)
}

// take uses n units, even if they are not available.
func (b *bucket) take(now, n, limit int64) {
	b.fullAt = now + min(maxFillTime, saturate.Add(b.usedTime(now), timeFor(n, limit)))
}

// giveBack makes n used units available again.
func (b *bucket) giveBack(now, n, limit int64) {
	b.fullAt = now + max(0, b.usedTime(now)-timeFor(n, limit))
}

// waitFor returns the time until n units are available.
func (b bucket) waitFor(now, n, limit int64) time.Duration {
	return time.Duration(max(0, saturate.Add(b.usedTime(now), timeFor(n, limit))-minute))
}

// unitsIn returns how many units of a limit per minute accrue in a duration.
func unitsIn(t, limit int64) int64 { return saturate.MulDiv(t, limit, minute) }

// timeFor returns the time in which n units accrue. It rounds down, because a
// whole limit must fit into a minute.
func timeFor(n, limit int64) int64 { return saturate.MulDiv(n, minute, limit) }
