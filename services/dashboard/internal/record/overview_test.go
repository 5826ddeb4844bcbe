package record

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
)

func TestPosition(t *testing.T) {
	for _, p := range []Position{{}, {Commit: 1}, {Commit: math.MaxInt64, Row: 499}} {
		got, err := ParsePosition(p.String())
		require.NoError(t, err)
		require.Equal(t, p, got)
	}
	for _, bad := range []string{"", "1", "-", "1-", "-1-0", "1--1", "01-0", "+1-0", "1-0-0", "1-0 ", "9223372036854775808-0"} {
		_, err := ParsePosition(bad)
		require.True(t, apperr.Is(err, apperr.InvalidRequest), bad)
	}
}

func TestPercentile(t *testing.T) {
	require.Zero(t, percentile(nil, 95))
	require.EqualValues(t, 7, percentile([]int64{7}, 50))
	require.EqualValues(t, 2, percentile([]int64{1, 2, 3, 4}, 50))
	require.EqualValues(t, 4, percentile([]int64{1, 2, 3, 4}, 95))
}

// TestSumsSaturateOnlyAtTheEnd holds that what is added up in between may be
// more than fits.
func TestSumsSaturateOnlyAtTheEnd(t *testing.T) {
	huge := Amount{Dollars: math.MaxInt64 / 1_000_000_000, Nano: 999_999_999}
	b := NewBreakdown(GroupModel)
	b.Add("a", "", 1, Parts{Requests: 1, Kept: huge})
	b.Add("a", "", 1, Parts{Requests: 1, Kept: Amount{Dollars: -huge.Dollars, Nano: -huge.Nano}})
	b.Add("b", "", 2, Parts{Requests: 1, Kept: Amount{Nano: 5}})
	impact := b.Impact()
	require.EqualValues(t, 5, impact.Kept)
	require.EqualValues(t, 0, impact.Groups[0].Kept)
	require.EqualValues(t, 5, impact.Series[1].Kept)
}
