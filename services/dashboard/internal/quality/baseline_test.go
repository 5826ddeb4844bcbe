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
	require.Regexp(t, `^Quality: not enough data yet: about [\d,]+ more responses\.$`, DescribeComparison(few))
}
