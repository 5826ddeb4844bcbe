package quality

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/statistics"
)

func sumsOf(model, task string, responses int64, weight float64) Sums {
	return Sums{Segment: Segment{Model: model, Task: task}, Responses: responses, FlaggedWeight: weight}
}

func TestTheSentenceAboutQuality(t *testing.T) {
	for want, all := range map[string][]Sums{
		"Quality: not worse within 2 points by automatic signals, 30,000 responses compared by kind of task.": {
			sumsOf("small", "general", 20_000, 1000), sumsOf("medium", "general", 10_000, 500), sumsOf("large", "general", 30_000, 1500),
		},
		"Quality: better than the default model by automatic signals, 5,000 responses compared by kind of task.": {
			sumsOf("small", "code", 5000, 100), sumsOf("large", "code", 5000, 900),
		},
		"Quality: 6 to 14 points lower than with the default model by automatic signals, 5,000 responses compared by kind of task.": {
			sumsOf("small", "code", 5000, 1000), sumsOf("large", "code", 5000, 500),
		},
		"Quality: not enough data yet: no responses of the default model to compare with.": {sumsOf("small", "code", 5000, 1000)},
	} {
		require.Equal(t, want, DescribeComparison(CompareWithBaseline(all, "large")))
	}
	few := CompareWithBaseline([]Sums{sumsOf("small", "code", 100, 5), sumsOf("large", "code", 100, 5)}, "large")
	require.Equal(t, statistics.Unknown, few.Verdict)
	require.Equal(t, "Quality: not enough data yet to compare with the default model.", DescribeComparison(few))
}

// Judges compare the same requests, so their verdict replaces that of signals.
func TestJudgesDecideTheSentence(t *testing.T) {
	judged := func(served, candidate string, n int64, sum, squares float64) Pair {
		return Pair{PairKey: PairKey{Served: served, Candidate: candidate}, Scores: statistics.Sample{N: n, Sum: sum, Squares: squares}}
	}
	signals := []Sums{sumsOf("small", "code", 5000, 100), sumsOf("large", "code", 5000, 900)}
	for want, pairs := range map[string][]Pair{
		"Quality: not worse within 2 points, 20,000 comparisons by a judge.": {
			judged("small", "large", 12_000, 0, 2400), judged("medium", "large", 8000, 0, 1600), judged("large", "small", 9000, 9000, 9000), judged("small", "medium", 9000, 9000, 9000),
		},
		"Quality: better than the default model, 400 comparisons by a judge.":                                    {judged("small", "large", 400, -200, 200)},
		"Quality: better than the default model by automatic signals, 5,000 responses compared by kind of task.": {judged("small", "large", 40, 40, 40)},
	} {
		require.Equal(t, want, DescribeQuality(pairs, signals, "large"))
	}
	require.Regexp(t, `^Quality: \d+ to \d+ points lower than with the default model, 400 comparisons by a judge\.$`, DescribeQuality([]Pair{judged("small", "large", 400, 200, 200)}, signals, "large"))
}
