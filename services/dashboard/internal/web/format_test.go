package web

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTableMoney(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 1: "$0.000000001", 999: "$0.000000999", 1000: "$0.000001", 412_000: "$0.000412", 412_499: "$0.000412",
		412_500: "$0.000413", 1_234_567_891_000: "$1,234.567891", -500: "\u2212$0.000000500", -2_000_000: "\u2212$0.002000",
		math.MaxInt64: "$9,223,372,036.854776", math.MinInt64: "\u2212$9,223,372,036.854776",
	} {
		require.Equal(t, want, tableMoney(&n))
	}
	require.Equal(t, "\u2014", tableMoney(nil), "unknown is not 0")
}

func TestTotalMoney(t *testing.T) {
	for n, want := range map[int64]string{
		0: "$0", 7: "$0.000000007", 12_345_678: "$0.01235", 123_456_789: "$0.1235", 1_284_070_000_000: "$1,284.07",
		-120_000_000: "\u2212$0.1200", 999_999_999: "$1.0000",
	} {
		require.Equal(t, want, totalMoney(n))
	}
}

func TestShare(t *testing.T) {
	require.Equal(t, "66 %", share(66, 100))
	require.Equal(t, "1.5 %", share(15, 1000))
	require.Equal(t, "\u2212200 %", share(-2, 1))
	require.Empty(t, share(5, 0))
}

func TestSpan(t *testing.T) {
	for us, want := range map[int64]string{
		0: "\u2014", 840: "840 \u00b5s", 412_900: "412 ms", 2_314_000: "2.31 s", 65_000_000: "1m5s",
	} {
		require.Equal(t, want, span(us))
	}
}

func TestCellsAreNotFormulas(t *testing.T) {
	for _, text := range []string{"=1+1", "+1", "-1", "@x", "\tx", "\rx"} {
		require.Equal(t, "'"+text, cell(text))
	}
	require.Equal(t, "plain", cell("plain"))
	require.Empty(t, cell(""))
}
