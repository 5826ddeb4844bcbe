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
	hourly, tiered := price, price
	hourly.CacheWrite1h = 4_000_000
	tiered.Tiers = []catalog.Tier{{Above: 100, Input: 4_000_000, CacheRead: 200_000, CacheWrite: 5_000_000, Output: 15_000_000}}
	tests := []struct {
		name  string
		price catalog.Price
		use   catalog.Usage
		want  int64
	}{
		{"nothing", price, catalog.Usage{}, 0},
		{"each bucket at its own price", price, catalog.Usage{Input: 1, CacheRead: 10, CacheWrite: 100, Output: 1000}, 2_000 + 1_000 + 250_000 + 10_000_000},
		{"a million tokens cost the listed dollars", price, catalog.Usage{Input: 1_000_000}, 2_000_000_000},
		{"cache writes for one hour have their own price", hourly, catalog.Usage{CacheWrite: 10, CacheWrite1h: 4}, 6*2_500 + 4*4_000},
		{"without one it costs like any other write", price, catalog.Usage{CacheWrite: 10, CacheWrite1h: 4}, 25_000},
		{"cache writes for one hour never exceed all cache writes", hourly, catalog.Usage{CacheWrite: 10, CacheWrite1h: 40}, 40_000},
		{"the tier holds for the whole request", tiered, catalog.Usage{Input: 50, CacheRead: 40, CacheWrite: 11, Output: 1}, 50*4_000 + 40*200 + 11*5_000 + 15_000},
		{"not at its very size", tiered, catalog.Usage{Input: 50, CacheRead: 40, CacheWrite: 10, Output: 1}, 50*2_000 + 40*100 + 10*2_500 + 10_000},
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
		p := catalog.Price{Input: anyInt(r), CacheRead: anyInt(r), CacheWrite: anyInt(r), CacheWrite1h: anyInt(r), Output: anyInt(r)}
		u := catalog.Usage{Input: anyInt(r), CacheRead: anyInt(r), CacheWrite: anyInt(r), CacheWrite1h: anyInt(r), Output: anyInt(r), Reasoning: anyInt(r)}
		require.Equal(t, exact(p, u), catalog.Cost(p, u), "%+v %+v", p, u)
	}
}

// anyInt returns integers of every magnitude with equal chance, including negative ones and
// the limits.
func anyInt(r *rand.Rand) int64 { return r.Int64() >> r.IntN(64) * (1 - 2*int64(r.IntN(8)/7)) }

func exact(p catalog.Price, u catalog.Usage) int64 {
	sum := big.NewInt(500)
	hour, hourly := min(max(u.CacheWrite1h, 0), max(u.CacheWrite, 0)), p.CacheWrite1h
	if hourly == 0 {
		hourly = p.CacheWrite
	}
	for _, f := range [][2]int64{{u.Input, p.Input}, {u.CacheRead, p.CacheRead}, {max(u.CacheWrite, 0) - hour, p.CacheWrite}, {hour, hourly}, {u.Output, p.Output}} {
		a, b := big.NewInt(max(f[0], 0)), big.NewInt(max(f[1], 0))
		sum.Add(sum, a.Mul(a, b))
	}
	sum.Quo(sum, big.NewInt(1000))
	if !sum.IsInt64() {
		return math.MaxInt64
	}
	return sum.Int64()
}

func TestForPicksTheTierOfAllInput(t *testing.T) {
	p := catalog.Price{Input: 1, CacheWrite1h: 9, Output: 2, Tiers: []catalog.Tier{{Above: 10, Input: 3, Output: 4}, {Above: 20, Input: 5, CacheWrite1h: 6, Output: 7}}}
	require.Equal(t, catalog.Price{Input: 1, CacheWrite1h: 9, Output: 2}, p.ForUsage(catalog.Usage{Input: 10, Output: 99}))
	require.Equal(t, catalog.Price{Input: 3, Output: 4}, p.ForUsage(catalog.Usage{CacheRead: 11}))
	top := catalog.Price{Input: 5, CacheWrite1h: 6, Output: 7}
	require.Equal(t, top, p.ForUsage(catalog.Usage{Input: math.MaxInt64, CacheRead: math.MaxInt64, CacheWrite: -5}))
	require.Equal(t, top, top.ForUsage(catalog.Usage{}), "a price without tiers stays as it is")
}

func TestCosts(t *testing.T) {
	tests := []struct {
		name  string
		price catalog.Price
		use   catalog.Usage
		want  catalog.Breakdown
	}{
		{"nothing", catalog.Price{Input: 7}, catalog.Usage{}, catalog.Breakdown{}},
		{"whole parts", catalog.Price{Input: 1000, CacheRead: 2000, CacheWrite: 3000, Output: 4000}, catalog.Usage{Input: 1, CacheRead: 1, CacheWrite: 1, Output: 1}, catalog.Breakdown{Input: 1, CacheRead: 2, CacheWrite: 3, Output: 4}},
		{"the larger rest gets what is over", catalog.Price{Input: 1400, Output: 1600}, catalog.Usage{Input: 1, Output: 1}, catalog.Breakdown{Input: 1, Output: 2}},
		{"the first of equals gets it", catalog.Price{CacheRead: 500, Output: 500}, catalog.Usage{CacheRead: 1, Output: 1}, catalog.Breakdown{CacheRead: 1}},
		{"nothing is over", catalog.Price{Input: 240, Output: 240}, catalog.Usage{Input: 1, Output: 1}, catalog.Breakdown{}},
		{"the limit goes to the first", catalog.Price{Input: 1000, Output: math.MaxInt64}, catalog.Usage{Input: 5, Output: math.MaxInt64}, catalog.Breakdown{Input: 5, Output: math.MaxInt64 - 5}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			parts, total := catalog.CostBreakdown(tt.price, tt.use)
			require.Equal(t, tt.want, parts)
			require.Equal(t, tt.want.Sum(), total)
		})
	}
}

func TestPlusNeverExceedsTheLimit(t *testing.T) {
	p := catalog.Breakdown{Input: 1, CacheRead: 2, CacheWrite: 3, Output: 4}
	require.Equal(t, catalog.Breakdown{Input: 2, CacheRead: 4, CacheWrite: 6, Output: 8}, p.Add(p))
	full := p.Add(catalog.Breakdown{Input: 5, Output: math.MaxInt64})
	require.Equal(t, catalog.Breakdown{Input: 6, CacheRead: 2, CacheWrite: 3, Output: math.MaxInt64 - 11}, full)
	require.Equal(t, full, full.Add(p))
}

// FuzzCosts compares the breakdown with arbitrary-precision arithmetic: the parts add up to
// the total, and each is within a nano-dollar of the exact value unless the total saturates.
func FuzzCosts(f *testing.F) {
	f.Add(int64(2_000_000), int64(100_000), int64(2_500_000), int64(10_000_000), int64(1), int64(10), int64(100), int64(1000))
	f.Add(int64(400), int64(400), int64(400), int64(400), int64(1), int64(1), int64(1), int64(1))
	f.Add(int64(999), int64(999), int64(999), int64(999), int64(1), int64(1), int64(1), int64(1))
	f.Add(int64(math.MaxInt64), int64(-1), int64(math.MaxInt64), int64(1), int64(math.MaxInt64), int64(5), int64(1000), int64(-7))
	f.Fuzz(func(t *testing.T, pi, pr, pw, po, ui, ur, uw, uo int64) {
		holds(t, catalog.Price{Input: pi, CacheRead: pr, CacheWrite: pw, Output: po}, catalog.Usage{Input: ui, CacheRead: ur, CacheWrite: uw, Output: uo})
	})
}

func TestCostsEqualExactArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		holds(t, catalog.Price{Input: anyInt(r), CacheRead: anyInt(r), CacheWrite: anyInt(r), Output: anyInt(r)},
			catalog.Usage{Input: anyInt(r), CacheRead: anyInt(r), CacheWrite: anyInt(r), Output: anyInt(r)})
	}
}

func holds(t *testing.T, p catalog.Price, u catalog.Usage) {
	t.Helper()
	parts, total := catalog.CostBreakdown(p, u)
	if total != catalog.Cost(p, u) || total != exact(p, u) || parts.Sum() != total {
		t.Fatalf("%+v %+v: %+v is not %d, %d", p, u, parts, total, exact(p, u))
	}
	for _, b := range []struct{ part, tokens, price int64 }{
		{parts.Input, u.Input, p.Input}, {parts.CacheRead, u.CacheRead, p.CacheRead},
		{parts.CacheWrite, u.CacheWrite, p.CacheWrite}, {parts.Output, u.Output, p.Output},
	} {
		want := new(big.Int).Mul(big.NewInt(max(b.tokens, 0)), big.NewInt(max(b.price, 0)))
		off := new(big.Int).Sub(new(big.Int).Mul(big.NewInt(b.part), big.NewInt(1000)), want)
		if b.part < 0 || off.Cmp(big.NewInt(1000)) >= 0 || total < math.MaxInt64 && off.Cmp(big.NewInt(-1000)) <= 0 {
			t.Fatalf("%+v %+v: %d for %d tokens at %d", p, u, b.part, b.tokens, b.price)
		}
	}
}

func BenchmarkCosts(b *testing.B) {
	p := catalog.Price{Input: 2_000_000, CacheRead: 100_000, CacheWrite: 2_500_000, Output: 10_000_000}
	u := catalog.Usage{Input: 1204, CacheRead: 10, CacheWrite: 20, Output: 88}
	b.ReportAllocs()
	for b.Loop() {
		_, _ = catalog.CostBreakdown(p, u)
	}
}
