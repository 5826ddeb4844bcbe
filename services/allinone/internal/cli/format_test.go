package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMoneyIsShownExactly(t *testing.T) {
	require.Equal(t, "$1.50", FormatUSD(1_500_000_000))
	require.Equal(t, "-$0.000000001", FormatUSD(-1))
	require.Equal(t, "unpriced", FormatOptionalUSD(nil))
}
