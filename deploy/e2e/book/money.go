package book

import "math/big"

// Price is what a token costs, in pico-USD.
type Price struct{ Input, CacheRead, CacheWrite, Output int64 }

// Usage are tokens in disjoint buckets; reasoning is a part of the output.
type Usage struct{ Input, CacheRead, CacheWrite, Output, Reasoning int64 }

// picoPerNano is the step from the unit of prices to that of totals.
const picoPerNano = 1000

// Cost is the usage at the price in nano-USD, rounded once, half up. It is
// written for clarity, and shares no line with what it is to check.
func Cost(p Price, u Usage) int64 {
	pico := new(big.Int)
	for _, part := range [][2]int64{{u.Input, p.Input}, {u.CacheRead, p.CacheRead}, {u.CacheWrite, p.CacheWrite}, {u.Output, p.Output}} {
		pico.Add(pico, new(big.Int).Mul(big.NewInt(part[0]), big.NewInt(part[1])))
	}
	pico.Add(pico, big.NewInt(picoPerNano/2))
	return saturated(pico.Div(pico, big.NewInt(picoPerNano)))
}

// add is the sum of two amounts.
func add(a, b int64) int64 {
	return saturated(new(big.Int).Add(big.NewInt(a), big.NewInt(b)))
}

// saturated is the nearest amount there is.
func saturated(n *big.Int) int64 {
	if n.IsInt64() {
		return n.Int64()
	}
	const most = 1<<63 - 1
	if n.Sign() < 0 {
		return -most - 1
	}
	return most
}
