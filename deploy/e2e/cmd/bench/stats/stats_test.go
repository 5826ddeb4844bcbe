package stats

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMedian(t *testing.T) {
	require.InDelta(t, 2, Median([]float64{9, 1, 2}), 0)
	require.InDelta(t, 1.5, Median([]float64{2, 1}), 0)
}

func TestFormatThousands(t *testing.T) {
	require.Equal(t, "-1,234,568", FormatThousands(-1234567.8))
	require.Equal(t, "999", FormatThousands(999))
}
