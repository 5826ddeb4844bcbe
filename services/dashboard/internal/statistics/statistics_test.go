package statistics

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIntervalsWithoutData(t *testing.T) {
	require.Equal(t, Interval{0, 1}, MeanInterval(Sample{}, Alpha))
	require.Equal(t, Interval{-1, 1}, DifferenceInterval(Sample{}, Alpha))
	require.Zero(t, Sample{}.Mean())
}

// The interval is what the simulations test: the values whose bet has not won.
func TestBoundsAreWhereTheBetWins(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var s, scores Sample
	for range 500 {
		s.Add(pair(r, 0.03))
		scores.Add(bit(r.Float64() < 0.8))
	}
	i := DifferenceInterval(s, Alpha)
	require.True(t, i.Contains(s.Mean()))
	const step = 1e-6
	require.True(t, exceeds(s, i.Low-step))
	require.False(t, exceeds(s, i.Low+step))
	require.True(t, exceeds(mirror(s), -i.High-step))
	require.False(t, exceeds(mirror(s), -i.High+step))
	m := MeanInterval(scores, Alpha)
	require.True(t, m.Contains(scores.Mean()))
	require.True(t, excludesMean(scores, m.Low-step))
	require.False(t, excludesMean(scores, m.Low+step))
	require.True(t, excludesMean(scores, m.High+step))
	require.False(t, excludesMean(scores, m.High-step))
}

func TestIntervalsShrink(t *testing.T) {
	width := 2.0
	for n := int64(100); n <= 1_000_000; n *= 10 {
		i := DifferenceInterval(Sample{N: n, Squares: 0.2 * float64(n)}, Alpha)
		require.Less(t, i.Width(), width)
		require.InDelta(t, -i.Low, i.High, 1e-9, "equal candidates, equal sides")
		width = i.Width()
	}
	require.Less(t, width, 0.006)
	require.Equal(t, 1.0, MeanInterval(Sample{N: 30, Sum: 30, Squares: 30}, Alpha).High)
	require.Greater(t, MeanInterval(Sample{N: 1000, Sum: 1000}, Alpha).Low, 0.99)
	require.Less(t, MeanInterval(Sample{N: 1000}, Alpha).High, 0.01)
}

func TestVerdicts(t *testing.T) {
	sample := func(n int64, mean float64) Sample {
		return Sample{N: n, Sum: mean * float64(n), Squares: 0.2 * float64(n)}
	}
	for _, c := range []struct {
		name string
		give Sample
		want Verdict
	}{
		{"nothing", Sample{}, Unknown},
		{"clear, but too few", Sample{N: MinSamples - 1, Sum: -(MinSamples - 1), Squares: MinSamples - 1}, Unknown},
		{"clear and enough", Sample{N: MinSamples, Sum: -MinSamples, Squares: MinSamples}, Worse},
		{"open", sample(1000, -0.01), Unknown},
		{"better", sample(5000, 0.05), Better},
		{"equal", sample(20_000, 0), NotWorse},
		{"within the margin", sample(100_000, -0.01), NotWorse},
		{"worse", sample(5000, -0.05), Worse},
	} {
		got := Compare(c.give, margin, Alpha)
		if c.give.N >= MinSamples {
			require.Equal(t, got.Verdict, judge(got.Interval, margin), "%s: the verdict is what the interval says", c.name)
		}
		require.Equal(t, c.want, got.Verdict, c.name)
		require.Equal(t, c.want == Unknown, got.More > 0, c.name)
		require.Equal(t, c.give.N, got.N)
	}
}

// The forecast is the number of samples at which the verdict comes if the samples go on as
// they are.
func TestTheForecastIsMet(t *testing.T) {
	s := Sample{N: 400, Sum: -20, Squares: 80}
	c := Compare(s, margin, Alpha)
	require.Equal(t, Unknown, c.Verdict)
	grow := float64(s.N+c.More) / float64(s.N)
	later := Sample{N: s.N + c.More, Sum: s.Sum * grow, Squares: s.Squares * grow}
	require.Equal(t, Worse, Compare(later, margin, Alpha).Verdict)
	half := 1 + (grow-1)/2
	require.Equal(t, Unknown, Compare(Sample{N: int64(float64(s.N) * half), Sum: s.Sum * half, Squares: s.Squares * half}, margin, Alpha).Verdict)
	require.EqualValues(t, maxForecast, Compare(Sample{N: 1000, Squares: 200}, 0, Alpha).More, "equal candidates without a margin")
	require.EqualValues(t, 140, roundUp(137))
	require.EqualValues(t, 9, roundUp(9))
}

func TestManySegments(t *testing.T) {
	require.InDelta(t, 0.005, WidestAlpha(Alpha, 10), 1e-12)
	require.InDelta(t, Alpha, WidestAlpha(Alpha, 0), 1e-12)
	require.Equal(t, []bool{true, false, true, false}, HolmRejects([]float64{81, 30, 60, 1}, Alpha))
	require.Equal(t, []bool{false, false}, HolmRejects([]float64{39, 39}, Alpha))
	require.Empty(t, HolmRejects(nil, Alpha))
	require.InDelta(t, 1, EValue(Sample{}, 0), 1e-9, "no data, no evidence")

	// 20 equal segments, of which one is worse.
	r := rand.New(rand.NewPCG(9, 9))
	wrong, found := 0, 0
	for range 100 {
		segments := make([]Sample, 20)
		for i := range segments {
			for range 3000 {
				segments[i].Add(pair(r, -0.08*bit(i == 7)))
			}
		}
		worse := FindWorse(segments, Alpha)
		found += int(bit(worse[7]))
		worse[7] = false
		for _, w := range worse {
			if w {
				wrong++
				break
			}
		}
	}
	t.Logf("20 segments, one of them 8 points worse, 100 runs: found in %d, false alarms in %d", found, wrong)
	require.LessOrEqual(t, wrong, 5)
	require.GreaterOrEqual(t, found, 95)
	require.False(t, math.IsNaN(EValue(Sample{N: 10, Sum: 10, Squares: 10}, -1)))
}
