package quality_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/quality"
	"github.com/signalbox/signalbox/services/dashboard/internal/statistics"
)

// The simulations have fixed seeds, so they always give the same figures. go test -v prints
// them. Each of 400 runs is an experiment with two emulated models whose quality is known: a
// share of the requests is answered well by one of them only.
const (
	simulatedRuns = 400
	// discordant is the share of requests that one model answers well and the other does not.
	discordant = 0.2
	// positionBias is how often the judge prefers the first response, whatever it says. Both
	// orders then contradict each other, which counts as a tie.
	positionBias = 0.1
	// rowsOfReport is how many rows the report corrects for: one kind of task, and all.
	rowsOfReport = 2
)

// compareOnce returns the score of one comparison, if the candidate is better by difference.
func compareOnce(r *rand.Rand, difference, bias float64) float64 {
	u := r.Float64()
	if r.Float64() < bias {
		return 0
	}
	switch {
	case u < (discordant+difference)/2:
		return 1
	case u < discordant:
		return -1
	}
	return 0
}

// simulate looks at the verdict of the report after every sample that changed it, and returns
// the first of the awaited verdicts with the number of samples. It checks that the report says
// the same.
func simulate(t *testing.T, seed uint64, difference, bias float64, samples int64, awaited ...statistics.Verdict) (statistics.Verdict, int64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 23))
	var s statistics.Sample
	each := statistics.WidestAlpha(statistics.Alpha, rowsOfReport)
	for s.N < samples {
		score := compareOnce(r, difference, bias)
		s.Add(score)
		// Ties change the verdict only slowly, so looking at every tenth of them is enough.
		if score == 0 && s.N%10 != 0 {
			continue
		}
		v := statistics.Decide(s, quality.Margin, each)
		for _, one := range awaited {
			if v == one {
				rows := quality.ReportExperiments([]quality.Pair{{PairKey: quality.PairKey{Experiment: "try", Task: "general"}, Compared: s.N, Scores: s}}, statistics.Alpha)
				require.Equal(t, v, rows[0].Verdict, "the report says the same")
				return v, s.N
			}
		}
	}
	return statistics.Unknown, s.N
}

func TestExperimentsWithKnownTruth(t *testing.T) {
	t.Parallel()
	alarms, found, after := 0, 0, int64(0)
	for run := range uint64(simulatedRuns) {
		if v, _ := simulate(t, run, 0, 0, 2000, statistics.Better, statistics.Worse); v != statistics.Unknown {
			alarms++
		}
		if v, n := simulate(t, 1000+run, -0.05, 0, 2000, statistics.Worse); v == statistics.Worse {
			found, after = found+1, after+n
		}
	}
	t.Logf("equal models, looked at after every sample, 2,000 samples: false alarms in %d of %d runs (%.1f %%)", alarms, simulatedRuns, 100*float64(alarms)/simulatedRuns)
	t.Logf("5 points worse, 20 %% discordant: found within 2,000 samples in %d of %d runs (%.1f %%), after %d on average", found, simulatedRuns, 100*float64(found)/simulatedRuns, after/int64(max(1, found)))
	require.LessOrEqual(t, alarms, simulatedRuns*5/100)
	require.GreaterOrEqual(t, found, simulatedRuns*95/100)
}

func TestVerdictsWithABiasedJudgeAreRight(t *testing.T) {
	t.Parallel()
	truths := []float64{0.08, 0.05, -0.05, -0.08}
	right, open := 0, 0
	for run := range uint64(simulatedRuns) {
		truth := truths[run%uint64(len(truths))]
		v, _ := simulate(t, 2000+run, truth, positionBias, 8000, statistics.Better, statistics.NotWorse, statistics.Worse)
		switch {
		case v == statistics.Unknown:
			open++
		case (v == statistics.Worse) == (truth < 0):
			right++
		}
	}
	t.Logf("judge with a position bias of 10 %%: %d of %d verdicts right (%.1f %%), %d runs without a verdict after 8,000 samples", right, simulatedRuns, 100*float64(right)/simulatedRuns, open)
	require.GreaterOrEqual(t, right, simulatedRuns*95/100)
}
