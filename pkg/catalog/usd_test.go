package catalog_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
)

func TestUSDIsExact(t *testing.T) {
	for nano, want := range map[int64]string{
		0:              "0.00",
		1:              "0.000000001",
		-1:             "-0.000000001",
		10_000_000:     "0.01",
		1_500_000_000:  "1.50",
		-2_000_000_000: "-2.00",
		1_234_567_891:  "1.234567891",
		math.MinInt64:  "-9223372036.854775808",
	} {
		require.Equal(t, want, catalog.FormatUSD(nano))
	}
}

func TestPerMillionIsExact(t *testing.T) {
	for pico, want := range map[int64]string{0: "0.00", 2_000_000: "2.00", 37_500: "0.0375", 3_625: "0.003625", 75_000_000: "75.00"} {
		require.Equal(t, want, catalog.FormatPerMillion(pico))
	}
}

func TestPerTokenIsExact(t *testing.T) {
	for pico, want := range map[int64]string{
		0:                 "0",
		50_000:            "0.00000005",
		1_000_000_000_000: "1",
	} {
		require.Equal(t, want, catalog.FormatPerToken(pico))
	}
}

func TestParseUSD(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1_000_000_000, "0.05": 50_000_000, "007.5": 7_500_000_000, "0.000000001": 1, "9223372036.854775807": 1<<63 - 1,
	} {
		n, ok := catalog.ParseUSD(text)
		require.True(t, ok, text)
		require.Equal(t, want, n, text)
	}
	for _, text := range []string{"", ".", "1.", ".5", "-1", "+1", "1e3", "$1", "1,5", " 1", "0x1", "0.0000000001", "9223372036.854775808", "١"} {
		_, ok := catalog.ParseUSD(text)
		require.False(t, ok, text)
	}
}

// AppendMicroUSD writes the same text as AppendUSD.
func TestMicroUSDIsExact(t *testing.T) {
	for _, micro := range []int64{0, 1, 10, 12, 100_000, 120_000, 123_456, 999_999, 1_000_000, 9_999_999, 10_000_000, 123_456_789, -1, -1_500_000, math.MaxInt64 / 1000, math.MinInt64 / 1000} {
		require.Equal(t, catalog.FormatUSD(micro*1000), string(catalog.AppendMicroUSD(nil, micro)), micro)
	}
}
