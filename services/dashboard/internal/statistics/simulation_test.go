package statistics

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The simulations have fixed seeds, so they always give the same figures. go test -v prints
// them.
const (
	runs       = 400
	discordant = 0.2
	margin     = 0.02
)

// pair returns the difference of one pair of responses: 1 if only the candidate is good, -1
// if only the other is.
func pair(r *rand.Rand, difference float64) float64 {
	u := r.Float64()
	switch {
	case u < (discordant+difference)/2:
		return 1
	case u < discordant:
		return -1
	}
	return 0
}

// exceeds reports whether the interval of the differences is above m. It is what
// DifferenceInterval decides, without the search for the bounds.
func exceeds(s Sample, m float64) bool { return logCapital(s, m) >= -math.Log(Alpha/2) }

func mirror(s Sample) Sample { return Sample{N: s.N, Sum: -s.Sum, Squares: s.Squares} }

func TestFalseAlarmsWhenLookedAtAfterEverySample(t *testing.T) {
	alarms := 0
	for run := range runs {
		r := rand.New(rand.NewPCG(uint64(run), 1))
		var s Sample
		for range 2000 {
			before := s.Squares
			s.Add(pair(r, 0))
			// Without a change of the sums the bets against 0 are what they were.
			if s.N < MinSamples || s.Squares == before && s.N > MinSamples {
				continue
			}
			if v := Decide(s, margin, Alpha); v == Better || v == Worse {
				alarms++
				break
			}
		}
	}
	t.Logf("equal candidates, 2,000 looks: %d of %d runs raise a false alarm (%.1f %%)", alarms, runs, 100*float64(alarms)/runs)
	require.LessOrEqual(t, alarms, runs*5/100)
}

// A test that is meant for one look raises many more false alarms. The simulation must see
// the difference, or it proves nothing.
func TestTheSimulationSeesWhatLookingOftenCosts(t *testing.T) {
	alarms := 0
	for run := range runs {
		r := rand.New(rand.NewPCG(uint64(run), 1))
		var s Sample
		for range 2000 {
			if s.Add(pair(r, 0)); s.N >= MinSamples && math.Abs(s.Sum) > 1.96*math.Sqrt(s.Squares) {
				alarms++
				break
			}
		}
	}
	t.Logf("the same with a test for one look: %d of %d runs (%.1f %%)", alarms, runs, 100*float64(alarms)/runs)
	require.Greater(t, alarms, runs*20/100)
}

func TestNotWorseIsRarelyClaimedAtTheMargin(t *testing.T) {
	wrong := 0
	for run := range runs {
		r := rand.New(rand.NewPCG(uint64(run), 2))
		var s Sample
		for range 2000 {
			if s.Add(pair(r, -margin)); Decide(s, margin, Alpha) == NotWorse {
				wrong++
				break
			}
		}
	}
	t.Logf("candidate worse by exactly the margin: not_worse in %d of %d runs (%.1f %%)", wrong, runs, 100*float64(wrong)/runs)
	require.LessOrEqual(t, wrong, runs*5/100)
}

func TestAWorseCandidateIsFoundWithin2000Samples(t *testing.T) {
	found, total := 0, int64(0)
	for run := range runs {
		r := rand.New(rand.NewPCG(uint64(run), 3))
		var s Sample
		for range 2000 {
			if s.Add(pair(r, -0.05)); Decide(s, margin, Alpha) == Worse {
				found, total = found+1, total+s.N
				break
			}
		}
	}
	t.Logf("candidate 5 points worse, 20 %% discordant: found within 2,000 samples in %d of %d runs (%.1f %%), after %d on average",
		found, runs, 100*float64(found)/runs, total/int64(max(1, found)))
	require.GreaterOrEqual(t, found, runs*95/100)
}

// Each run has a true difference, and ends at the first verdict. It is right if it is true.
func TestVerdictsAreRight(t *testing.T) {
	differences := []float64{0.05, 0.02, 0, -0.01, -0.03, -0.05}
	right, counts := 0, map[Verdict]int{}
	for run := range runs {
		r := rand.New(rand.NewPCG(uint64(run), 4))
		truth := differences[run%len(differences)]
		v := runUntilVerdict(r, truth)
		counts[v]++
		if v == Better && truth > 0 || v == NotWorse && truth > -margin || v == Worse && truth < 0 {
			right++
		}
	}
	t.Logf("verdicts with a margin of 2 points: %d of %d right (%.1f %%): %v", right, runs, 100*float64(right)/runs, counts)
	require.GreaterOrEqual(t, right, runs*95/100)
	for _, v := range []Verdict{Better, NotWorse, Worse} {
		require.Positive(t, counts[v], v)
	}
}

// runUntilVerdict looks every 25 samples until there is a verdict, for 60,000 at most.
func runUntilVerdict(r *rand.Rand, truth float64) Verdict {
	var s Sample
	for range 60_000 / 25 {
		for range 25 {
			s.Add(pair(r, truth))
		}
		if v := Decide(s, margin, Alpha); v != Unknown {
			return v
		}
	}
	return Unknown
}

func TestMeanIntervalsContainTheTruthAtEveryLook(t *testing.T) {
	for _, c := range []struct {
		name  string
		truth float64
		draw  func(r *rand.Rand) float64
	}{
		{"verdicts, 90 % good", 0.9, func(r *rand.Rand) float64 { return bit(r.Float64() < 0.9) }},
		{"verdicts, 99 % good", 0.99, func(r *rand.Rand) float64 { return bit(r.Float64() < 0.99) }},
		{"scores from 0 to 1", 0.5, (*rand.Rand).Float64},
	} {
		missed := 0
		var widths float64
		for run := range runs {
			r := rand.New(rand.NewPCG(uint64(run), 5))
			var s Sample
			out := false
			for range 1000 {
				s.Add(c.draw(r))
				out = out || excludesMean(s, c.truth)
			}
			missed += int(bit(out))
			widths += MeanInterval(s, Alpha).Width()
		}
		t.Logf("%s: %d of %d runs miss the truth at any of 1,000 looks (%.1f %%); width at the end %.3f", c.name, missed, runs, 100*float64(missed)/runs, widths/runs)
		require.LessOrEqual(t, missed, runs*5/100, c.name)
	}
}

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func excludesMean(s Sample, m float64) bool {
	capital := logBeta(s.Sum+0.5, float64(s.N)-s.Sum+0.5) - logBeta(0.5, 0.5)
	return capital-powLog(m, s.Sum)-powLog(1-m, float64(s.N)-s.Sum) > -math.Log(Alpha)
}
