// Package saturate does integer arithmetic on money and tokens that stays within int64
// instead of overflowing. Upstreams can report any number, and an overflow would turn a
// huge cost into a negative one.
package saturate

import (
	"math"
	"math/bits"
)

// Add returns a + b, limited to the range of int64.
func Add(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}

// Sub returns a - b, limited to the range of int64.
func Sub(a, b int64) int64 {
	switch {
	case b < 0 && a > math.MaxInt64+b:
		return math.MaxInt64
	case b > 0 && a < math.MinInt64+b:
		return math.MinInt64
	}
	return a - b
}

// Sum adds numbers that cannot be negative: negative ones count as 0.
func Sum(all ...int64) (sum int64) {
	for _, n := range all {
		sum = Add(sum, max(n, 0))
	}
	return sum
}

// Mul returns a * b, limited to the range of int64. It returns 0 unless both are positive.
func Mul(a, b int64) int64 {
	if a <= 0 || b <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi > 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}

// MulDiv returns a * b / c, rounded down and limited to the range of int64. It returns 0
// unless all three are positive.
func MulDiv(a, b, c int64) int64 {
	if a <= 0 || b <= 0 || c <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(min(q, math.MaxInt64))
}
