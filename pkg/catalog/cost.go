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
// the output and are not charged again. Of a price with tiers the one that
// holds for the usage is taken.
func Cost(p Price, u Usage) int64 {
	b := bill(p, u)
	return b.nano()
}

// charges is pico-USD by bucket, in the order of Parts.
type charges [buckets]pico

func bill(p Price, u Usage) charges {
	p = p.For(u)
	writes := max(u.CacheWrite, 0)
	hourly := min(max(u.CacheWrite1h, 0), writes)
	return charges{
		product(u.Input, p.Input), product(u.CacheRead, p.CacheRead),
		product(writes-hourly, p.CacheWrite).plus(product(hourly, p.write1h())), product(u.Output, p.Output),
	}
}

func (p Price) write1h() int64 {
	if p.CacheWrite1h == 0 {
		return p.CacheWrite
	}
	return p.CacheWrite1h
}

func (c *charges) nano() int64 {
	sum := pico{low: picoPerNano / 2}
	for _, part := range c {
		sum = sum.plus(part)
	}
	nano, _ := sum.nano()
	return nano
}

// pico is an amount in 128 bits. Five products of non-negative int64, of which
// two share one count, and the half that rounds them are less than 2^128, so
// they never overflow.
type pico struct{ high, low uint64 }

func product(tokens, price int64) pico {
	high, low := bits.Mul64(uint64(max(tokens, 0)), uint64(max(price, 0)))
	return pico{high, low}
}

func (a pico) plus(b pico) pico {
	low, carry := bits.Add64(a.low, b.low, 0)
	high, _ := bits.Add64(a.high, b.high, carry)
	return pico{high, low}
}

// nano is the whole nano-USD and what is left over, which is nothing at the
// limit of int64.
func (a pico) nano() (int64, uint64) {
	if a.high >= picoPerNano {
		return math.MaxInt64, 0
	}
	whole, rest := bits.Div64(a.high, a.low, picoPerNano)
	if whole > math.MaxInt64 {
		return math.MaxInt64, 0
	}
	return int64(whole), rest
}
