package statistics

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func scores(n int64, mean float64) Sample { return Sample{N: n, Sum: mean * float64(n)} }

func TestStrataAreComparedSeparately(t *testing.T) {
	// The candidate got the harder kind of task. Its overall mean is lower, but it is not worse.
	mixed := []Stratum{{scores(90_000, 0.5), scores(10_000, 0.5)}, {scores(10_000, 0.95), scores(90_000, 0.95)}}
	c := CompareStrata(mixed, 0.03, Alpha)
	require.Equal(t, NotWorse, c.Verdict)
	require.EqualValues(t, 100_000, c.N)
	require.Zero(t, c.More)
	require.Equal(t, Worse, CompareStrata([]Stratum{{scores(5000, 0.8), scores(5000, 0.9)}}, 0.02, Alpha).Verdict)
	require.Equal(t, Better, CompareStrata([]Stratum{{scores(5000, 0.95), scores(5000, 0.85)}}, 0.02, Alpha).Verdict)
}

func TestWithoutOverlapThereIsNoVerdict(t *testing.T) {
	c := CompareStrata([]Stratum{{Candidate: scores(5000, 0.9)}, {Other: scores(5000, 0.1)}}, 0.02, Alpha)
	require.Equal(t, Unknown, c.Verdict)
	require.Zero(t, c.N)
	require.Equal(t, Interval{-1, 1}, c.Interval)
	require.Positive(t, c.More)
	few := CompareStrata([]Stratum{{scores(4000, 0.9), scores(20, 0.2)}}, 0.02, Alpha)
	require.Equal(t, Unknown, few.Verdict, "the other group is too small")
}

func TestTheForecastIsAboutRight(t *testing.T) {
	now := CompareStrata([]Stratum{{scores(300, 0.95), scores(300, 0.95)}}, 0.02, Alpha)
	require.Equal(t, Unknown, now.Verdict)
	n := 300 + now.More
	require.Equal(t, NotWorse, CompareStrata([]Stratum{{scores(n, 0.95), scores(n, 0.95)}}, 0.02, Alpha).Verdict)
	require.Equal(t, Unknown, CompareStrata([]Stratum{{scores(n*8/10, 0.95), scores(n*8/10, 0.95)}}, 0.02, Alpha).Verdict)
}
