package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

// Evidence is deleted together with its request, and the counts with it.
func TestEvidenceExpiresWithItsRequest(t *testing.T) {
	dialects(t, func(t *testing.T, s *store.Store, _ func() *store.Store) {
		today := time.Now().UTC().Truncate(24 * time.Hour)
		var made []*record.Record
		for n, ago := range []int{0, 9, 10, 11, 400} {
			r := storetest.Make("acc", n)
			r.Time = today.AddDate(0, 0, -ago)
			r.ID = storetest.ID(r.Time, n)
			made = append(made, r)
			require.NoError(t, s.Insert(t.Context(), record.Batch{Records: []*record.Record{r}, Evidence: []evidence.Item{storetest.Rate(r, "a", 1, 1)}}))
		}
		require.NoError(t, s.DropRequests(t.Context(), today.AddDate(0, 0, -10)))
		for n, want := range []int{1, 1, 1, 0, 0} {
			got, err := s.Evidence(t.Context(), "acc", made[n].ID)
			require.NoError(t, err)
			require.Len(t, got, want, n)
		}
		require.Equal(t, 3, count(t, s, `SELECT COUNT(*) FROM quality_daily`))
	})
}

// Two dashboards may store a request and its feedback at the same moment. Neither sees the
// row of the other, so the feedback waits although its request is there.
func TestEvidenceThatMissedItsRequestIsJoinedLater(t *testing.T) {
	dialects(t, func(t *testing.T, s *store.Store, _ func() *store.Store) {
		r, never := now(1), now(2)
		require.NoError(t, s.Insert(t.Context(), record.Batch{
			Records: []*record.Record{r}, Evidence: []evidence.Item{storetest.Rate(r, "a", 7, 1), storetest.Rate(never, "a", 1, 1)},
		}))
		for _, statement := range []string{
			`INSERT INTO waiting_evidence SELECT e.request_id, e.account_id, e.kind, e.source, e.score, e.weight, e.reason, e.created_us, 0, r.day
				FROM evidence e JOIN requests r ON r.id = e.request_id`,
			`DELETE FROM evidence`,
		} {
			require.NoError(t, s.Exec(t.Context(), statement))
		}
		require.NoError(t, s.JoinWaitingEvidence(t.Context()))
		got, err := s.Evidence(t.Context(), "acc", r.ID)
		require.NoError(t, err)
		require.Equal(t, []evidence.Item{storetest.Rate(r, "a", 7, 1)}, got)
		require.Equal(t, 1, count(t, s, `SELECT COUNT(*) FROM waiting_evidence`), "the other one still waits")
		require.NoError(t, s.Exec(t.Context(), `UPDATE waiting_evidence SET received_us = received_us - 8 * 86400000000`))
		require.NoError(t, s.JoinWaitingEvidence(t.Context()))
		require.Equal(t, 0, count(t, s, `SELECT COUNT(*) FROM waiting_evidence`), "nothing waits forever")
	})
}
