package catalog_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
)

func TestCost(t *testing.T) {
	price := catalog.Price{Input: 2_000_000, CacheRead: 100_000, CacheWrite: 2_500_000, Output: 10_000_000}
	tests := []struct {
		name  string
		price catalog.Price
		use   catalog.Usage
		want  int64
	}{
		{"nothing", price, catalog.Usage{}, 0},
		{"each bucket at its own price", price, catalog.Usage{Input: 1, CacheRead: 10, CacheWrite: 100, Output: 1000}, 2_000 + 1_000 + 250_000 + 10_000_000},
		{"a million tokens cost the listed dollars", price, catalog.Usage{Input: 1_000_000}, 2_000_000_000},
		{"reasoning is part of the output", price, catalog.Usage{Output: 10, Reasoning: 10}, 100_000},
		{"just below a half goes down", catalog.Price{Input: 499}, catalog.Usage{Input: 1}, 0},
		{"a half goes up", catalog.Price{Input: 500}, catalog.Usage{Input: 1}, 1},
		{"rounded once, not per bucket", catalog.Price{Input: 400, Output: 400}, catalog.Usage{Input: 1, Output: 1}, 1},
		{"negative counts are nothing", price, catalog.Usage{Input: -5, Output: -1}, 0},
		{"too much stays at the limit", catalog.Price{Input: math.MaxInt64}, catalog.Usage{Input: math.MaxInt64}, math.MaxInt64},
		{
			"all buckets at the limit",
			catalog.Price{Input: math.MaxInt64, CacheRead: math.MaxInt64, CacheWrite: math.MaxInt64, Output: math.MaxInt64},
			catalog.Usage{Input: math.MaxInt64, CacheRead: math.MaxInt64, CacheWrite: math.MaxInt64, Output: math.MaxInt64},
			math.MaxInt64,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, catalog.Cost(tt.price, tt.use))
		})
	}
}

func TestCostEqualsExactArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		p := catalog.Price{Input: anyInt(r), CacheRead: anyInt(r), CacheWrite: anyInt(r), Output: anyInt(r)}
		u := catalog.Usage{Input: anyInt(r), CacheRead: anyInt(r), CacheWrite: anyInt(r), Output: anyInt(r), Reasoning: anyInt(r)}
		require.Equal(t, exact(p, u), catalog.Cost(p, u), "%+v %+v", p, u)
	}
}

// anyInt is of any size with the same chance, so that small sums, the limit
// and negative numbers are all met.
func anyInt(r *rand.Rand) int64 { return r.Int64() >> r.IntN(64) * (1 - 2*int64(r.IntN(8)/7)) }

func exact(p catalog.Price, u catalog.Usage) int64 {
	sum := big.NewInt(500)
	for _, f := range [][2]int64{{u.Input, p.Input}, {u.CacheRead, p.CacheRead}, {u.CacheWrite, p.CacheWrite}, {u.Output, p.Output}} {
		a, b := big.NewInt(max(f[0], 0)), big.NewInt(max(f[1], 0))
		sum.Add(sum, a.Mul(a, b))
	}
	sum.Quo(sum, big.NewInt(1000))
	if !sum.IsInt64() {
		return math.MaxInt64
	}
	return sum.Int64()
}
