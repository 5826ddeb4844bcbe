package catalog

import (
	"math"
	"math/bits"
)

// picoPerNano is the step from the unit of prices to the unit of totals.
const picoPerNano = 1000

// Cost is what the usage costs at the price, in nano-USD. It is computed
// exactly and rounded once, half up. A total beyond int64 is the largest
// int64; a negative count or price counts as 0. Reasoning tokens are part of
// the output and are not charged again.
func Cost(p Price, u Usage) int64 {
	var t total
	t.add(u.Input, p.Input)
	t.add(u.CacheRead, p.CacheRead)
	t.add(u.CacheWrite, p.CacheWrite)
	t.add(u.Output, p.Output)
	return t.nano()
}

// total is a sum of pico-USD in 128 bits. Four products of non-negative int64
// and the half that rounds them are less than 2^128, so it never overflows.
type total struct{ high, low uint64 }

func (t *total) add(tokens, price int64) {
	high, low := bits.Mul64(uint64(max(tokens, 0)), uint64(max(price, 0)))
	t.sum(high, low)
}

func (t *total) sum(high, low uint64) {
	var carry uint64
	t.low, carry = bits.Add64(t.low, low, 0)
	t.high, _ = bits.Add64(t.high, high, carry)
}

func (t *total) nano() int64 {
	t.sum(0, picoPerNano/2)
	if t.high >= picoPerNano {
		return math.MaxInt64
	}
	nano, _ := bits.Div64(t.high, t.low, picoPerNano)
	return int64(min(nano, math.MaxInt64))
}
