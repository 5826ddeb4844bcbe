package reconcile

import "math/big"

// Price is the price of one token in pico-USD.
type Price struct{ Input, CacheRead, CacheWrite, Output int64 }

// Usage holds token counts in disjoint buckets; reasoning is a part of output.
type Usage struct{ Input, CacheRead, CacheWrite, Output, Reasoning int64 }

// picoPerNano converts the unit of prices to the unit of totals.
const picoPerNano = 1000

// Cost returns the cost in nano-USD, rounded once, half up. It deliberately shares
// no code with the implementation that it checks.
func Cost(p Price, u Usage) int64 {
	pico := new(big.Int)
	for _, part := range [][2]int64{{u.Input, p.Input}, {u.CacheRead, p.CacheRead}, {u.CacheWrite, p.CacheWrite}, {u.Output, p.Output}} {
		pico.Add(pico, new(big.Int).Mul(big.NewInt(part[0]), big.NewInt(part[1])))
	}
	pico.Add(pico, big.NewInt(picoPerNano/2))
	return saturate(pico.Div(pico, big.NewInt(picoPerNano)))
}

// addAmounts returns the saturated sum of two amounts.
func addAmounts(a, b int64) int64 {
	return saturate(new(big.Int).Add(big.NewInt(a), big.NewInt(b)))
}

// saturate converts n to int64, limited to the range of int64.
func saturate(n *big.Int) int64 {
	if n.IsInt64() {
		return n.Int64()
	}
	const most = 1<<63 - 1
	if n.Sign() < 0 {
		return -most - 1
	}
	return most
}
