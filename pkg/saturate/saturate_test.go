package saturate_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/saturate"
)

var samples = []int64{math.MinInt64, math.MinInt64 + 1, -1 << 40, -7, -1, 0, 1, 2, 7, 1 << 31, 1 << 40, math.MaxInt64 - 1, math.MaxInt64}

// limit returns n, limited to the range of int64.
func limit(n *big.Int) int64 {
	switch {
	case n.IsInt64():
		return n.Int64()
	case n.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

func TestResultsMatchUnlimitedIntegers(t *testing.T) {
	for _, a := range samples {
		for _, b := range samples {
			x, y := big.NewInt(a), big.NewInt(b)
			require.Equal(t, limit(new(big.Int).Add(x, y)), saturate.Add(a, b), "%d + %d", a, b)
			require.Equal(t, limit(new(big.Int).Sub(x, y)), saturate.Sub(a, b), "%d - %d", a, b)
			require.Equal(t, limit(new(big.Int).Add(big.NewInt(max(a, 0)), big.NewInt(max(b, 0)))), saturate.Sum(a, b))
			product := int64(0)
			if a > 0 && b > 0 {
				product = limit(new(big.Int).Mul(x, y))
			}
			require.Equal(t, product, saturate.Mul(a, b), "%d * %d", a, b)
			for _, c := range samples {
				want := int64(0)
				if a > 0 && b > 0 && c > 0 {
					want = limit(new(big.Int).Div(new(big.Int).Mul(x, y), big.NewInt(c)))
				}
				require.Equal(t, want, saturate.MulDiv(a, b, c), "%d * %d / %d", a, b, c)
			}
		}
	}
}
