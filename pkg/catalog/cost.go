package catalog

import (
	"cmp"
	"math"
	"math/bits"
)

// picoPerNano is the number of pico-USD in one nano-USD.
const picoPerNano = 1000

// Cost returns the cost of the usage at the price, in nano-USD. It rounds only the total
// (half up), and returns at most the largest int64. Negative counts and prices count as
// 0. Reasoning tokens are part of the output and are not charged again. ForUsage selects
// the tier of the price.
func Cost(p Price, u Usage) int64 { return p.CostOf(&u) }

// CostOf works like Cost, but copies neither the price nor the usage.
func (p *Price) CostOf(u *Usage) int64 {
	return p.CostOfTokens(u.Input, u.CacheRead, u.CacheWrite, u.CacheWrite1h, u.Output)
}

// CostOfTokens works like Cost, but with the fields of the usage. Decisions call it twice for each
// candidate. Usual sizes are computed in 64 bits: with less than 2^30 tokens and prices below 2^31
// pico-USD, a product is below 2^61, and the sum of five products below 2^64. A negative number
// has its highest bit set, so it is not usual.
func (p *Price) CostOfTokens(input, read, write, write1h, output int64) int64 {
	const maxTokenBits, maxPriceBits = 30, 31
	tokens := input | read | write | write1h | output
	prices := p.Input | p.CacheRead | p.CacheWrite | p.CacheWrite1h | p.Output
	if uint64(tokens)>>maxTokenBits != 0 || uint64(prices)>>maxPriceBits != 0 || len(p.Tiers) > 0 {
		b := computeCharges(*p, Usage{Input: input, CacheRead: read, CacheWrite: write, CacheWrite1h: write1h, Output: output})
		return b.totalNano()
	}
	sum := uint64(input*p.Input) + uint64(read*p.CacheRead) + uint64(output*p.Output)
	if write1h == 0 {
		sum += uint64(write * p.CacheWrite)
	} else {
		hourly := min(write1h, write)
		sum += uint64((write-hourly)*p.CacheWrite) + uint64(hourly*p.cacheWrite1hPrice())
	}
	return int64((sum + picoPerNano/2) / picoPerNano)
}

// charges holds pico-USD for each field of Breakdown, in the same order.
type charges [breakdownParts]pico

func computeCharges(p Price, u Usage) charges {
	p = p.ForUsage(u)
	writes := max(u.CacheWrite, 0)
	hourly := min(max(u.CacheWrite1h, 0), writes)
	return charges{
		multiply(u.Input, p.Input), multiply(u.CacheRead, p.CacheRead),
		multiply(writes-hourly, p.CacheWrite).add(multiply(hourly, p.cacheWrite1hPrice())), multiply(u.Output, p.Output),
	}
}

func (p *Price) cacheWrite1hPrice() int64 { return cmp.Or(p.CacheWrite1h, p.CacheWrite) }

func (c *charges) totalNano() int64 {
	sum := pico{low: picoPerNano / 2}
	for _, part := range c {
		sum = sum.add(part)
	}
	nano, _ := sum.toNano()
	return nano
}

// pico is an amount of pico-USD in 128 bits. Token counts and prices are below 2^63, so a
// product of the two is below 2^126. A total has five products. The token counts of the two
// kinds of cache write add up to less than 2^63, so these two products are also below 2^126
// together. So a total is below 2^128 and never overflows.
type pico struct{ high, low uint64 }

func multiply(tokens, price int64) pico {
	high, low := bits.Mul64(uint64(max(tokens, 0)), uint64(max(price, 0)))
	return pico{high, low}
}

func (a pico) add(b pico) pico {
	low, carry := bits.Add64(a.low, b.low, 0)
	high, _ := bits.Add64(a.high, b.high, carry)
	return pico{high, low}
}

// toNano returns the whole nano-USD and the remainder. If the amount exceeds the largest
// int64, toNano returns that number and no remainder.
func (a pico) toNano() (int64, uint64) {
	if a.high >= picoPerNano {
		return math.MaxInt64, 0
	}
	whole, rest := bits.Div64(a.high, a.low, picoPerNano)
	if whole > math.MaxInt64 {
		return math.MaxInt64, 0
	}
	return int64(whole), rest
}
