package storetest

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// Rate returns feedback on a request, n seconds after Base.
func Rate(r *record.Record, source string, score int64, n int) evidence.Item {
	return evidence.Item{
		AccountID: r.AccountID, RequestID: r.ID, Kind: evidence.Feedback, Source: source, Score: score, Weight: evidence.FullWeight,
		Reason: "because", Created: Base().Add(time.Duration(n) * time.Second),
	}
}

func addEvidence(t *testing.T, s *store.Store, items ...evidence.Item) {
	t.Helper()
	require.NoError(t, s.Insert(t.Context(), record.Batch{Evidence: items}))
}

func requireEvidence(t *testing.T, s *store.Store, account string, id uuid.UUID, want ...evidence.Item) {
	t.Helper()
	got, err := s.Evidence(t.Context(), account, id)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// evidenceJoins stores feedback after, before and together with its request.
func evidenceJoins(t *testing.T, s *store.Store) {
	late, early, together := Make("acc", 1), Make("acc", 2), Make("acc", 3)
	insert(t, s, late)
	addEvidence(t, s, Rate(late, "a", 1000, 100), Rate(early, "a", 500, 100))
	requireEvidence(t, s, "acc", late.ID, Rate(late, "a", 1000, 100))
	requireEvidence(t, s, "acc", early.ID)

	batch := record.Batch{Records: []*record.Record{early, together}, Evidence: []evidence.Item{Rate(together, "a", 0, 101)}}
	for range 2 { // a repeated batch changes nothing
		require.NoError(t, s.Insert(t.Context(), batch))
		requireEvidence(t, s, "acc", early.ID, Rate(early, "a", 500, 100))
		requireEvidence(t, s, "acc", together.ID, Rate(together, "a", 0, 101))
	}
	signal := evidence.NewSignal("acc", late.ID, evidence.Empty, "no text", Base())
	addEvidence(t, s, signal)
	requireEvidence(t, s, "acc", late.ID, signal, Rate(late, "a", 1000, 100))
}

// evidenceOfOthers rates requests of another account, before and after they are stored.
func evidenceOfOthers(t *testing.T, s *store.Store) {
	stored, coming := Make("mine", 1), Make("mine", 2)
	insert(t, s, stored)
	for _, r := range []*record.Record{stored, coming} {
		foreign := Rate(r, "thief", 0, 100)
		foreign.AccountID = "theirs"
		addEvidence(t, s, foreign)
	}
	insert(t, s, coming)
	require.NoError(t, s.JoinWaitingEvidence(t.Context()))
	for _, r := range []*record.Record{stored, coming} {
		requireEvidence(t, s, "mine", r.ID)
		requireEvidence(t, s, "theirs", r.ID)
		addEvidence(t, s, Rate(r, "own", 1000, 101))
		requireEvidence(t, s, "mine", r.ID, Rate(r, "own", 1000, 101))
		requireEvidence(t, s, "theirs", r.ID)
	}
}

func evidenceReplaces(t *testing.T, s *store.Store) {
	r, waiting := Make("acc", 1), Make("acc", 2)
	insert(t, s, r)
	for _, one := range []*record.Record{r, waiting} {
		addEvidence(t, s, Rate(one, "a", 100, 10), Rate(one, "b", 200, 10))
		addEvidence(t, s, Rate(one, "a", 900, 20))
		addEvidence(t, s, Rate(one, "a", 300, 5)) // it arrives late
		addEvidence(t, s, Rate(one, "b", 400, 10), Rate(one, "b", 500, 10))
	}
	insert(t, s, waiting)
	for _, one := range []*record.Record{r, waiting} {
		requireEvidence(t, s, "acc", one.ID, Rate(one, "b", 500, 10), Rate(one, "a", 900, 20))
	}
}

// evidenceWaits sends more feedback on unknown requests than may wait. Another account is
// not affected.
func evidenceWaits(t *testing.T, s *store.Store) {
	const more = store.MaxWaiting + 500
	var items []evidence.Item
	for n := range more {
		items = append(items, Rate(Make("greedy", n), "a", 0, n))
	}
	for len(items) > 0 {
		n := min(len(items), 1000)
		addEvidence(t, s, items[:n]...)
		items = items[n:]
	}
	other := Make("other", more+1)
	addEvidence(t, s, Rate(other, "a", 1000, 1))
	kept, dropped := Make("greedy", 0), Make("greedy", more-1)
	insert(t, s, other, kept, dropped)
	requireEvidence(t, s, "other", other.ID, Rate(other, "a", 1000, 1))
	requireEvidence(t, s, "greedy", kept.ID, Rate(kept, "a", 0, 0))
	requireEvidence(t, s, "greedy", dropped.ID)
}

func evidenceTexts(t *testing.T, s *store.Store) {
	r := Make("acc", 1)
	insert(t, s, r)
	odd := Rate(r, "a\x00\xff", 1, 1)
	odd.Reason = "\x00\xff"
	addEvidence(t, s, odd)
	got, err := s.Evidence(t.Context(), "acc", r.ID)
	require.NoError(t, err)
	require.Equal(t, "a\uFFFD\uFFFD", got[0].Source)
}
