package quality_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/quality"
	"github.com/signalbox/signalbox/services/dashboard/internal/statistics"
)

func rated(n int64, mean float64) statistics.Sample {
	return statistics.Sample{N: n, Sum: mean * float64(n), Squares: mean * float64(n)}
}

func TestReport(t *testing.T) {
	rows := quality.Report([]quality.Sums{
		{Segment: quality.Segment{Model: "small", Task: "code"}, Responses: 1000, Rated: rated(400, 0.9), Flagged: 100, FlaggedWeight: 50, Signals: map[evidence.Kind]int64{evidence.Empty: 100}},
		{Segment: quality.Segment{Model: "small", Task: "math"}, Responses: 10, Signals: map[evidence.Kind]int64{evidence.Empty: 1}},
		{Segment: quality.Segment{Model: "large", Task: "code"}, Responses: 5000, Rated: rated(10, 1)},
	}, statistics.Alpha)
	var names []string
	for _, r := range rows {
		names = append(names, r.Model+"/"+r.Task)
	}
	require.Equal(t, []string{"large/", "large/code", "small/", "small/code", "small/math"}, names)
	small, code := rows[2], rows[3]
	require.EqualValues(t, 1010, small.Responses)
	require.EqualValues(t, 101, small.Signals[evidence.Empty])
	require.EqualValues(t, 400, code.Feedback.Count)
	require.InDelta(t, 0.9, code.Feedback.Mean, 1e-9)
	require.True(t, code.Feedback.Interval.Contains(0.9))
	require.InDelta(t, 0.95, code.Signal.Mean, 1e-9)
	require.Zero(t, code.Signal.More, "1,000 responses are enough")
	require.Positive(t, rows[1].Feedback.More, "10 ratings are not")
	require.Equal(t, statistics.Interval{Low: 0, High: 1}, rows[4].Feedback.Interval)

	alone := quality.Report([]quality.Sums{{Segment: code.Segment, Responses: 1000, Rated: rated(400, 0.9)}}, statistics.Alpha)
	require.Less(t, alone[1].Feedback.Interval.Width(), code.Feedback.Interval.Width(), "more segments, wider intervals")
	require.Empty(t, quality.Report(nil, statistics.Alpha))
}

// The forecast is the number of ratings that the interval then needs.
func TestTheForecastIsMet(t *testing.T) {
	for _, n := range []int64{0, 20, 80} {
		one := quality.Sums{Segment: quality.Segment{Model: "m", Task: "t"}, Rated: rated(n, 0.8)}
		before := quality.Report([]quality.Sums{one}, statistics.Alpha)[1].Feedback
		require.Positive(t, before.More)
		one.Rated = rated(n+before.More, 0.8)
		after := quality.Report([]quality.Sums{one}, statistics.Alpha)[1].Feedback
		require.Zero(t, after.More, n)
		require.LessOrEqual(t, after.Interval.Width(), quality.TargetWidth)
		one.Rated = rated(n+before.More/2, 0.8)
		require.Positive(t, quality.Report([]quality.Sums{one}, statistics.Alpha)[1].Feedback.More)
	}
}
