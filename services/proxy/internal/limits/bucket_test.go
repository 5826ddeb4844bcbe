package limits

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestABucketGrantsItsLimitAtOnceAndThenByTime(t *testing.T) {
	for _, limit := range []int64{1, 3, 7, 60, 1000, 999_983, 7_000_000} {
		var b bucket
		require.Equal(t, limit, b.room(0, limit))
		for range min(limit, 1000) {
			before := b.room(0, limit)
			b.add(0, 1, limit)
			require.Equal(t, before-1, b.room(0, limit), "limit %d", limit)
		}
		b = bucket{}
		b.add(0, limit, limit)
		require.Zero(t, b.room(0, limit), "limit %d", limit)
		wait := int64(b.wait(0, 1, limit))
		require.Positive(t, wait)
		require.Zero(t, b.room(wait-1, limit))
		require.Equal(t, int64(1), b.room(wait+1, limit))
		require.Equal(t, limit, b.room(minute, limit))
	}
}

func TestABucketStaysAsUsedAsItWasUnderAnotherLimit(t *testing.T) {
	var b bucket
	b.add(0, 50, 100)
	require.Equal(t, int64(5), b.room(0, 10))
	require.Equal(t, int64(500), b.room(0, 1000))
}

func TestABucketTakesWhatItDoesNotHave(t *testing.T) {
	var b bucket
	b.add(0, 300, 100)
	require.Zero(t, b.room(0, 100))
	require.Equal(t, 2*time.Minute+600*time.Millisecond, b.wait(0, 1, 100))
	b.back(0, 250, 100)
	require.Equal(t, int64(50), b.room(0, 100))
	b.back(0, 1000, 100)
	require.Equal(t, int64(100), b.room(0, 100), "never more than the limit")
	b.add(0, math.MaxInt64, 1)
	require.Equal(t, ahead, b.used(0))
}

func TestArithmeticSaturates(t *testing.T) {
	require.Equal(t, int64(math.MaxInt64), add(math.MaxInt64, 1))
	require.Equal(t, int64(math.MinInt64), add(math.MinInt64, -1))
	require.Equal(t, int64(math.MinInt64), sub(math.MinInt64, 1))
	require.Equal(t, int64(math.MaxInt64), sub(0, math.MinInt64))
	require.Equal(t, int64(math.MaxInt64), mulDiv(math.MaxInt64, 3, 2))
	require.Equal(t, int64(math.MaxInt64/3), mulDiv(math.MaxInt64, 2, 6))
	require.Zero(t, mulDiv(-1, 5, 5))
}
