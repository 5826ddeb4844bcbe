package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// feedbackReports reads ratings that are not reported, the oldest first, with their requests.
func feedbackReports(t *testing.T, s *store.Store) {
	one, two := Make("acc", 1), Make("other", 2)
	insert(t, s, one, two)
	first, second, third := Rate(two, "a", 500, 100), Rate(one, "a", 1000, 101), Rate(one, "b", 0, 102)
	addEvidence(t, s, third, second, first, evidence.NewSignal("acc", one.ID, evidence.Empty, "no text", Base()))

	at := Base().Add(102 * time.Second)
	items, requests, err := s.UnreportedFeedback(t.Context(), at, 10)
	require.NoError(t, err)
	require.Equal(t, []evidence.Item{first, second}, items, "ratings before the time, no signals")
	require.Equal(t, one.Model, requests[one.ID].Model)
	require.Equal(t, "other", requests[two.ID].AccountID)

	require.NoError(t, s.MarkReported(t.Context(), items[:1]))
	items, _, err = s.UnreportedFeedback(t.Context(), at.Add(time.Second), 1)
	require.NoError(t, err)
	require.Equal(t, []evidence.Item{second}, items)
	changed := second
	changed.Score, changed.Created = 0, second.Created.Add(time.Minute)
	addEvidence(t, s, changed)
	require.NoError(t, s.MarkReported(t.Context(), items))
	items, _, err = s.UnreportedFeedback(t.Context(), at.Add(time.Hour), 10)
	require.NoError(t, err)
	require.Equal(t, []evidence.Item{third, changed}, items, "a rating that was replaced meanwhile is reported")
	require.NoError(t, s.MarkReported(t.Context(), items))
	items, _, err = s.UnreportedFeedback(t.Context(), at.Add(time.Hour), 10)
	require.NoError(t, err)
	require.Empty(t, items)
}
