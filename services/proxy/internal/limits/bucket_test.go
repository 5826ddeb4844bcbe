package limits

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/saturate"
)

func TestABucketGrantsItsLimitAtOnceAndThenByTime(t *testing.T) {
	for _, limit := range []int64{1, 3, 7, 60, 1000, 999_983, 7_000_000} {
		var b bucket
		require.Equal(t, limit, b.available(0, limit))
		for range min(limit, 1000) {
			before := b.available(0, limit)
			b.take(0, 1, limit)
			require.Equal(t, before-1, b.available(0, limit), "limit %d", limit)
		}
		b = bucket{}
		b.take(0, limit, limit)
		require.Zero(t, b.available(0, limit), "limit %d", limit)
		wait := int64(b.waitFor(0, 1, limit))
		require.Positive(t, wait)
		require.Zero(t, b.available(wait-1, limit))
		require.Equal(t, int64(1), b.available(wait+1, limit))
		require.Equal(t, limit, b.available(minute, limit))
	}
}

func TestABucketStaysAsUsedAsItWasUnderAnotherLimit(t *testing.T) {
	var b bucket
	b.take(0, 50, 100)
	require.Equal(t, int64(5), b.available(0, 10))
	require.Equal(t, int64(500), b.available(0, 1000))
}

func TestABucketTakesWhatItDoesNotHave(t *testing.T) {
	var b bucket
	b.take(0, 300, 100)
	require.Zero(t, b.available(0, 100))
	require.Equal(t, 2*time.Minute+600*time.Millisecond, b.waitFor(0, 1, 100))
	b.giveBack(0, 250, 100)
	require.Equal(t, int64(50), b.available(0, 100))
	b.giveBack(0, 1000, 100)
	require.Equal(t, int64(100), b.available(0, 100), "never more than the limit")
	b.take(0, math.MaxInt64, 1)
	require.Equal(t, maxFillTime, b.usedTime(0))
}

func TestArithmeticSaturates(t *testing.T) {
	require.Equal(t, int64(math.MaxInt64), saturate.Add(math.MaxInt64, 1))
	require.Equal(t, int64(math.MinInt64), saturate.Add(math.MinInt64, -1))
	require.Equal(t, int64(math.MinInt64), saturate.Sub(math.MinInt64, 1))
	require.Equal(t, int64(math.MaxInt64), saturate.Sub(0, math.MinInt64))
	require.Equal(t, int64(math.MaxInt64), saturate.MulDiv(math.MaxInt64, 3, 2))
	require.Equal(t, int64(math.MaxInt64/3), saturate.MulDiv(math.MaxInt64, 2, 6))
	require.Zero(t, saturate.MulDiv(-1, 5, 5))
}
