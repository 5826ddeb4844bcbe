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

// qualities sums up responses of two models and tasks, with feedback and signals.
func qualities(t *testing.T, s *store.Store) {
	var batch record.Batch
	add := func(n int, account, model string, features map[string]int64) *record.Record {
		r := Make(account, n)
		r.Model, r.Features = model, features
		batch.Records = append(batch.Records, r)
		return r
	}
	first := add(1, "acc", "small", nil)
	second := add(2, "acc", "small", nil)
	code := add(3, "acc", "large", map[string]int64{"code": 900})
	failed := add(4, "acc", "small", nil)
	failed.Outcome = record.OutcomeError
	other := add(5, "other", "small", nil)
	before := add(6, "acc", "small", nil)
	At(before, Base().AddDate(0, 0, -1))
	unexamined := add(7, "acc", "large", nil)
	batch.Unexamined = map[uuid.UUID]bool{unexamined.ID: true}
	batch.Evidence = []evidence.Item{
		Rate(first, "a", 1000, 1), Rate(first, "b", 0, 1), Rate(second, "a", 1000, 1), Rate(other, "a", 0, 1), Rate(before, "a", 0, 1),
		evidence.NewSignal("acc", first.ID, evidence.Loop, "", Base()), evidence.NewSignal("acc", first.ID, evidence.Stopped, "", Base()),
		evidence.NewSignal("acc", code.ID, evidence.Empty, "", Base()),
	}
	for range 2 { // a repeated batch counts once
		require.NoError(t, s.Insert(t.Context(), batch))
	}
	got, err := s.Quality(t.Context(), "acc", Base(), Base().AddDate(0, 0, 1))
	require.NoError(t, err)
	require.Equal(t, []quality.Sums{
		{
			Segment: quality.Segment{Model: "large", Task: "code"}, Responses: 1, Flagged: 1, FlaggedWeight: 1,
			Signals: map[evidence.Kind]int64{evidence.Empty: 1},
		},
		{
			Segment: quality.Segment{Model: "small", Task: "general"}, Responses: 2, Rated: statistics.Sample{N: 2, Sum: 1.5, Squares: 1.25},
			Flagged: 1, FlaggedWeight: 0.8, Signals: map[evidence.Kind]int64{evidence.Loop: 1, evidence.Stopped: 1},
		},
	}, got)
	got, err = s.Quality(t.Context(), "acc", Base().AddDate(0, 0, -1), Base())
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.EqualValues(t, 1, got[0].Responses)
	require.EqualValues(t, 1, got[0].Rated.N)
	got, err = s.Quality(t.Context(), "nobody", Base(), Base().Add(24*time.Hour))
	require.NoError(t, err)
	require.Empty(t, got)
}
