package storetest

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/quality"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/statistics"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// Compare returns a comparison on a request.
func Compare(r *record.Record, result string, score int64) evidence.Comparison {
	id := uuid.Must(uuid.NewV7())
	copy(id[:6], r.ID[:6]) // the same time
	cost := int64(5)
	return evidence.Comparison{
		ID: id, AccountID: r.AccountID, RequestID: r.ID, Experiment: "try", Task: "code", Served: evidence.Responder{Model: "small", Provider: "p"},
		Candidate: evidence.Responder{Model: "large", Provider: "p", Effort: "low"}, Judge: evidence.Responder{Model: "judge", Provider: "p"},
		Result: result, Score: score, Consistent: score != 0, CandidateCost: &cost, Created: r.Time,
	}
}

// comparisons sums up experiments. Those of other accounts and days do not count, and a
// repeated batch counts once. Comparisons change neither requests nor costs.
func comparisons(t *testing.T, s *store.Store) {
	var batch record.Batch
	add := func(account string, n int) *record.Record {
		r := Make(account, n)
		batch.Records = append(batch.Records, r)
		return r
	}
	good, bad, plain := add("acc", 1), add("acc", 2), add("acc", 3)
	other := add("other", 4)
	before := Make("acc", 5)
	At(before, Base().AddDate(0, 0, -2))
	batch.Records = append(batch.Records, before)
	require.NoError(t, s.Insert(t.Context(), batch))
	total := spendOf(t, s)

	batch.Evidence = []evidence.Item{Rate(good, "a", 1000, 1), Rate(bad, "a", 0, 1), Rate(other, "a", 0, 1)}
	batch.Comparisons = []evidence.Comparison{
		Compare(good, evidence.ResultJudged, -1000), Compare(bad, evidence.ResultJudged, -500), Compare(plain, evidence.ResultJudged, 0),
		Compare(plain, "candidate_failed", 0), Compare(bad, "stopped", 0), Compare(other, evidence.ResultJudged, 1000), Compare(before, evidence.ResultJudged, 1000),
	}
	for range 2 {
		require.NoError(t, s.Insert(t.Context(), batch))
	}
	got, err := s.Experiments(t.Context(), "acc", Base().Truncate(24*time.Hour), Base().AddDate(0, 0, 1))
	require.NoError(t, err)
	require.Equal(t, []quality.Pair{{
		PairKey:  quality.PairKey{Experiment: "try", Served: "small", Candidate: "large", Effort: "low", Judge: "judge", Task: "code"},
		Compared: 5, Stopped: 1, Scores: statistics.Sample{N: 3, Sum: -1.5, Squares: 1.25}, ServedWins: 2, Consistent: 2, Rated: 2, Agreed: 1, CandidateNanoUSD: 25,
	}}, got)
	require.Equal(t, total, spendOf(t, s), "experiments are no spend of clients")
	got, err = s.Experiments(t.Context(), "third", Base().AddDate(0, 0, -9), Base().AddDate(0, 0, 9))
	require.NoError(t, err)
	require.Empty(t, got)

	of, err := s.Comparisons(t.Context(), "acc", plain.ID)
	require.NoError(t, err)
	require.Len(t, of, 2)
	require.ElementsMatch(t, []string{evidence.ResultJudged, "candidate_failed"}, []string{of[0].Result, of[1].Result})
	require.Equal(t, evidence.Responder{Model: "large", Provider: "p", Effort: "low"}, of[0].Candidate)
	of, err = s.Comparisons(t.Context(), "other", plain.ID)
	require.NoError(t, err)
	require.Empty(t, of)
}

func spendOf(t *testing.T, s *store.Store) record.AccountSpend {
	t.Helper()
	spend, err := s.AccountSpend(t.Context(), "acc", Base())
	require.NoError(t, err)
	return spend
}
