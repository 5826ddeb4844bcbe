package quality_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/quality"
	"github.com/signalbox/signalbox/services/dashboard/internal/statistics"
)

func pair(task string, n int64, sum, squares float64) quality.Pair {
	return quality.Pair{
		PairKey:  quality.PairKey{Experiment: "try", Served: "small", Candidate: "large", Judge: "judge", Task: task},
		Compared: n + 1, Stopped: 1, Scores: statistics.Sample{N: n, Sum: sum, Squares: squares}, CandidateWins: n, Rated: 10, Agreed: 8, JudgeNanoUSD: 3,
	}
}

func TestPairsAreJudgedByTaskAndTogether(t *testing.T) {
	rows := quality.ReportExperiments([]quality.Pair{pair("math", 2000, 400, 500), pair("code", 10, 1, 2)}, statistics.Alpha)
	require.Len(t, rows, 3)
	all, code, maths := rows[0], rows[1], rows[2]
	require.Empty(t, all.Task)
	require.EqualValues(t, 2010, all.Scores.N)
	require.EqualValues(t, 2012, all.Compared)
	require.EqualValues(t, 2, all.Stopped)
	require.EqualValues(t, 6, all.JudgeNanoUSD)
	require.EqualValues(t, 20, all.Rated)
	require.InDelta(t, 0.8, all.Agreement.Mean, 1e-9)
	require.Equal(t, statistics.Better, all.Verdict)
	require.Equal(t, statistics.Better, maths.Verdict)
	require.Zero(t, maths.More)
	require.Equal(t, "code", code.Task)
	require.Equal(t, statistics.Unknown, code.Verdict)
	require.Greater(t, code.More, int64(100), "it says how much is missing")

	alone := quality.ReportExperiments([]quality.Pair{pair("math", 2000, 400, 500)}, statistics.Alpha)
	require.Less(t, alone[0].Interval.Width(), maths.Interval.Width(), "more rows make wider intervals")
}
