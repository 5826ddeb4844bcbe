package catalog

import "math"

// Breakdown is a cost in nano-USD by kind of token. No part is negative.
type Breakdown struct{ Input, CacheRead, CacheWrite, Output int64 }

// breakdownParts is the number of fields of Breakdown.
const breakdownParts = 4

// CostBreakdown returns the parts of a cost, and the total as Cost returns it. The
// parts add up exactly to the total. Each part is rounded down, and the remaining
// nano-USD go to the parts with the largest remainders. If the total is limited to the
// largest int64, the last parts are reduced.
func CostBreakdown(p Price, u Usage) (Breakdown, int64) {
	c := computeCharges(p, u)
	total := c.totalNano()
	var parts [breakdownParts]int64
	var rests [breakdownParts]uint64
	left := total
	for i := range c {
		parts[i], rests[i] = c[i].toNano()
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
	return Breakdown{parts[0], parts[1], parts[2], parts[3]}, total
}

// Add adds each part of q to the same part of p. If the sum of all parts would exceed
// the largest int64, Add adds less to the last parts.
func (p Breakdown) Add(q Breakdown) Breakdown {
	headroom := math.MaxInt64 - p.Sum()
	for _, part := range []struct {
		to   *int64
		more int64
	}{{&p.Input, q.Input}, {&p.CacheRead, q.CacheRead}, {&p.CacheWrite, q.CacheWrite}, {&p.Output, q.Output}} {
		more := min(part.more, headroom)
		*part.to += more
		headroom -= more
	}
	return p
}

// Sum returns the total of all parts.
func (p Breakdown) Sum() int64 { return p.Input + p.CacheRead + p.CacheWrite + p.Output }
