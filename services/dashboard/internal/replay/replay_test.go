package replay_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/replay"
)

func nano(n int64) *int64 { return &n }

func side(model string, cost, quality, latency int64) replay.Decision {
	return replay.Decision{Candidate: replay.Candidate{Model: model, Provider: "p"}, Cost: nano(cost), Quality: quality, Latency: latency}
}

func TestTheSamePolicyMakesNoDifference(t *testing.T) {
	var r replay.Report
	for i := range 1000 {
		s := side(fmt.Sprint("m", i%7), int64(i)*1_000_003, 700, 20_000)
		r.Add(replay.Row{ID: fmt.Sprint(i), Route: "auto", Key: fmt.Sprint("k", i%3), Before: s, After: s})
	}
	require.EqualValues(t, 1000, r.Requests)
	require.Zero(t, r.Flips)
	require.Zero(t, r.Difference())
	require.Zero(t, r.Quality.Sum)
	require.Zero(t, r.Latency.Sum)
	require.Empty(t, r.Losers)
	require.Len(t, r.Models(), 7)
	require.Len(t, r.Keys(), 3)
}

func TestWhatADraftWouldChange(t *testing.T) {
	var r replay.Report
	r.Add(replay.Row{ID: "a", Route: "auto", Key: "k1", KeyName: "one", Before: side("large", 500, 900, 4000), After: side("small", 100, 700, 1000)})
	r.Add(replay.Row{ID: "b", Route: "auto", Key: "k2", Before: side("small", 100, 700, 0), After: side("large", 450, 900, 3000)})
	r.Add(replay.Row{ID: "c", Route: "code", Key: "k2", Before: side("small", 100, 700, 1000), After: replay.Decision{Code: "POLICY_DENIED"}})
	r.Add(replay.Row{ID: "d", Route: "code", Key: "k2", Before: replay.Decision{Code: "POLICY_DENIED"}, After: side("small", 100, 700, 1000)})
	r.Add(replay.Row{ID: "e", Route: "code", Key: "k2", Before: replay.Decision{}, After: replay.Decision{}})
	unpriced := side("small", 0, 700, 1000)
	unpriced.Cost = nil
	r.Add(replay.Row{ID: "f", Route: "code", Key: "k2", Before: side("large", 500, 900, 4000), After: unpriced})

	require.Equal(t, replay.Sums{
		Requests: 6, Flips: 5, Refused: 1, Served: 1, Before: 600, After: 550, Unpriced: 1,
		Quality: replay.Change{Requests: 3, Sum: -200}, Latency: replay.Change{Requests: 2, Sum: -6000},
	}, r.Sums)
	require.EqualValues(t, -50, r.Difference())
	require.EqualValues(t, -66, r.Quality.Mean())
	require.Len(t, r.Losers, 1)
	require.Equal(t, "b", r.Losers[0].ID)
	keys := r.Keys()
	require.Equal(t, []string{"k1", "k2"}, []string{keys[0].ID, keys[1].ID}, "the biggest change first")
	require.Equal(t, "one", keys[0].Name)
	require.EqualValues(t, -400, keys[0].Difference())
	require.EqualValues(t, 350, keys[1].Difference())
	require.Equal(t, []string{"large", "small", ""}, ids(r.Models()))
	require.Equal(t, []string{"auto", "code"}, ids(r.Routes()))
}

func ids(all []replay.Group) (out []string) {
	for _, g := range all {
		out = append(out, g.ID)
	}
	return out
}

func TestGroupsAddUpToTheWhole(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var r replay.Report
	for i := range 5000 {
		row := replay.Row{ID: fmt.Sprintf("%05d", i), Route: fmt.Sprint("r", random.IntN(3)), Key: fmt.Sprint("k", random.IntN(500))}
		row.Before = side(fmt.Sprint("m", random.IntN(9)), random.Int64N(1e12), 1+random.Int64N(999), random.Int64N(1e6))
		row.After = side(fmt.Sprint("m", random.IntN(9)), random.Int64N(1e12), 1+random.Int64N(999), random.Int64N(1e6))
		if random.IntN(9) == 0 {
			row.After = replay.Decision{}
		}
		r.Add(row)
	}
	for _, groups := range [][]replay.Group{r.Routes(), r.Models(), r.Keys()} {
		var sum replay.Sums
		for _, g := range groups {
			sum.Requests, sum.Flips, sum.Refused, sum.Served = sum.Requests+g.Requests, sum.Flips+g.Flips, sum.Refused+g.Refused, sum.Served+g.Served
			sum.Before, sum.After, sum.Unpriced = sum.Before+g.Before, sum.After+g.After, sum.Unpriced+g.Unpriced
			sum.Quality.Requests, sum.Quality.Sum = sum.Quality.Requests+g.Quality.Requests, sum.Quality.Sum+g.Quality.Sum
			sum.Latency.Requests, sum.Latency.Sum = sum.Latency.Requests+g.Latency.Requests, sum.Latency.Sum+g.Latency.Sum
		}
		require.Equal(t, r.Sums, sum)
	}
	require.Len(t, r.Keys(), 201, "what has no room is in one")
	require.True(t, r.Keys()[200].Other)
	require.Len(t, r.Losers, 20)
	for i := range 19 {
		require.GreaterOrEqual(t, extra(r.Losers[i]), extra(r.Losers[i+1]))
	}
}

func extra(r replay.Row) int64 { return *r.After.Cost - *r.Before.Cost }

func TestASumThatDoesNotFitIsHuge(t *testing.T) {
	var r replay.Report
	for range 2 {
		r.Add(replay.Row{Before: side("a", 1, 0, 0), After: side("b", math.MaxInt64, 0, 0)})
	}
	require.EqualValues(t, math.MaxInt64, r.After)
	require.Positive(t, r.Difference())
}
