package catalog

import "math"

// Parts are nano-USD by bucket; none is negative.
type Parts struct{ Input, CacheRead, CacheWrite, Output int64 }

const buckets = 4

// Costs is Cost by bucket: the parts add up to the total exactly, which is
// rounded once. What rounding each part down leaves over goes to the parts that
// lost most by it. Of a total at the limit of int64 the first parts take what
// there is room for.
func Costs(p Price, u Usage) (Parts, int64) {
	c := bill(p, u)
	total := c.nano()
	var parts [buckets]int64
	var rests [buckets]uint64
	left := total
	for i := range c {
		parts[i], rests[i] = c[i].nano()
		parts[i] = min(parts[i], left)
		left -= parts[i]
	}
	for ; left > 0; left-- {
		most := 0
		for i := range rests {
			if rests[i] > rests[most] {
				most = i
			}
		}
		parts[most], rests[most] = parts[most]+1, 0
	}
	return Parts{parts[0], parts[1], parts[2], parts[3]}, total
}

// Plus adds bucket by bucket, saturating as a whole: the sum of all parts never
// exceeds int64, and the first parts take what there is room for.
func (p Parts) Plus(q Parts) Parts {
	room := math.MaxInt64 - p.Sum()
	for _, part := range []struct {
		to   *int64
		more int64
	}{{&p.Input, q.Input}, {&p.CacheRead, q.CacheRead}, {&p.CacheWrite, q.CacheWrite}, {&p.Output, q.Output}} {
		more := min(part.more, room)
		*part.to += more
		room -= more
	}
	return p
}

// Sum is all parts together.
func (p Parts) Sum() int64 { return p.Input + p.CacheRead + p.CacheWrite + p.Output }
