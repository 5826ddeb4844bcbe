package record

import (
	"math"
	"testing"
	"time"

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
	require.Zero(t, Percentile(nil, 95))
	require.EqualValues(t, 7, Percentile([]int64{7}, 50))
	require.EqualValues(t, 2, Percentile([]int64{1, 2, 3, 4}, 50))
	require.EqualValues(t, 4, Percentile([]int64{1, 2, 3, 4}, 95))
}

// TestSumsSaturateOnlyAtTheEnd checks that intermediate sums may exceed the range.
func TestSumsSaturateOnlyAtTheEnd(t *testing.T) {
	huge := Amount{Dollars: math.MaxInt64 / 1_000_000_000, Nano: 999_999_999}
	b := NewBreakdown(GroupModel, oneDay)
	b.Add("a", "", 1, PartialSums{Requests: 1, Saved: huge})
	b.Add("a", "", 1, PartialSums{Requests: 1, Saved: Amount{Dollars: -huge.Dollars, Nano: -huge.Nano}})
	b.Add("b", "", 2, PartialSums{Requests: 1, Saved: Amount{Nano: 5}})
	impact := b.Impact()
	require.EqualValues(t, 5, impact.Saved)
	require.EqualValues(t, 0, impact.Groups[0].Saved)
	require.EqualValues(t, 5, impact.Series[1].Saved)
}

// TestSeriesAndDays checks that a short range has short steps, and that its day
// groups sum up the steps.
func TestSeriesAndDays(t *testing.T) {
	at := time.Date(2026, 11, 14, 0, 0, 0, 0, time.UTC)
	for span, want := range map[time.Duration]time.Duration{
		time.Hour: time.Minute, 6 * time.Hour: 10 * time.Minute, oneDay: time.Hour, 7 * oneDay: 3 * time.Hour, 30 * oneDay: oneDay,
	} {
		require.Equal(t, want, SeriesStep(Query{From: at, To: at.Add(span)}), span)
		require.Equal(t, want, SeriesStep(Query{From: time.Now().Add(-span + time.Second)}), span)
	}
	require.Equal(t, oneDay, SeriesStep(Query{}))

	b := NewBreakdown(GroupDay, time.Hour)
	for _, hour := range []int64{24, 1, 23} {
		b.Add("", "", at.Unix()/3600+hour, PartialSums{Requests: hour})
	}
	i := b.Impact()
	require.Equal(t, []Group{{Value: "2026-11-14", Sums: Sums{Requests: 24}}, {Value: "2026-11-15", Sums: Sums{Requests: 24}}}, i.Groups)
	require.Len(t, i.Series, 3)
	require.Equal(t, at.Add(time.Hour), i.Series[0].Start)
}
