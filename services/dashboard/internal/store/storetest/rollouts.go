package storetest

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/rollout"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// rolloutFigures sums up both versions of a rollout by step, over all accounts.
func rolloutFigures(t *testing.T, s *store.Store) {
	var batch record.Batch
	add := func(n int, account, version string, share int32, outcome record.Outcome) *record.Record {
		r := Make(account, n)
		r.PolicyVersion, r.Outcome, r.Latency, r.Cost = version, outcome, 1000, Nano(5000)
		r.Rollout = &record.Rollout{ID: "ro", Stable: "p1", Candidate: "p2", Share: share}
		batch.Records = append(batch.Records, r)
		return r
	}
	add(1, "acc", "p1", 1000, record.OutcomeOK)
	rated := add(2, "other", "p2", 1000, record.OutcomeOK)
	add(3, "acc", "p2", 1000, record.OutcomeError).Cost = nil
	add(4, "acc", "p2", 1000, record.OutcomeClientClosed)
	add(5, "acc", "p2", 100, record.OutcomeOK)      // another step
	add(6, "acc", "p0", 1000, record.OutcomeOK)     // a router that did not know the candidate
	add(7, "acc", "", 1000, record.OutcomeRejected) // no policy decided
	add(8, "acc", "p2", 1000, record.OutcomeOK).Rollout.ID = "another"
	batch.Evidence = []evidence.Item{
		Rate(rated, "a", 1000, 1), Rate(rated, "b", 0, 1),
		evidence.NewSignal("other", rated.ID, evidence.Loop, "", Base()), evidence.NewSignal("other", rated.ID, evidence.Stopped, "", Base()),
	}
	for range 2 { // a repeated batch counts once
		require.NoError(t, s.Insert(t.Context(), batch))
	}
	late := record.Batch{Evidence: []evidence.Item{Rate(batch.Records[0], "a", 1000, 2)}}
	require.NoError(t, s.Insert(t.Context(), late))

	got, err := s.RolloutFigures(t.Context(), "ro", 1000)
	require.NoError(t, err)
	requireFigures(t, rollout.Figures{Requests: 2, Responses: 2}, 2, 2, 1, got.Stable)
	requireFigures(t, rollout.Figures{Requests: 3, Failures: 1, Responses: 2, FlaggedWeight: 0.8}, 1, 2, 0.5, got.Candidate)
	got, err = s.RolloutFigures(t.Context(), "ro", 5000)
	require.NoError(t, err)
	require.Equal(t, rollout.Sides{}, got)
}

func requireFigures(t *testing.T, want rollout.Figures, succeeded, priced int64, score float64, got rollout.Figures) {
	t.Helper()
	require.Equal(t, []int64{succeeded, priced, 1}, []int64{got.Latency.N, got.Cost.N, got.Rated.N})
	require.InDelta(t, math.Log(1000), got.Latency.Mean(), 1e-9)
	require.InDelta(t, 5, got.Cost.Mean(), 1e-9)
	require.InDelta(t, 25*float64(priced), got.Cost.Squares, 1e-9)
	require.InDelta(t, score, got.Rated.Mean(), 1e-9)
	want.Latency, want.Cost, want.Rated = got.Latency, got.Cost, got.Rated
	require.Equal(t, want, got)
}
