package ledger

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSavedPercent(t *testing.T) {
	require.Equal(t, "-", formatSavedPercent(costSums{Saved: -5}))
	require.Equal(t, "-50%", formatSavedPercent(costSums{Saved: -5, Baseline: 10}))
	require.Equal(t, "33.3%", formatSavedPercent(costSums{Saved: 1, Baseline: 3}))
}
