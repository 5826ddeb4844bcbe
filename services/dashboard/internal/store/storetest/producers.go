package storetest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

func reports(t *testing.T, s *store.Store) {
	at, seen := Base(), Base().Add(time.Minute)
	say := func(seen time.Time, states ...records.ProducerState) {
		require.NoError(t, s.StoreProducerStates(t.Context(), states, seen))
	}
	say(seen, records.ProducerState{Producer: "p", Host: "h", Written: 10, FirstUnstored: 7, Lost: 1, Refused: 2, At: at},
		records.ProducerState{Producer: "a\x00", Written: 1, FirstUnstored: 1, At: at})
	require.NoError(t, s.Insert(t.Context(), record.Batch{Committed: one("p", 1, 5)}))
	require.NoError(t, s.Insert(t.Context(), record.Batch{Committed: one("p", 8, 9)}))
	want := record.Producer{
		Name: "p", Host: "h", HighestSeq: 9, Stored: 7, StoredBelow: 5, Sent: 10, FirstHeld: 7, Lost: 1, Refused: 2, FirstSeen: seen, LastSeen: seen,
	}
	silent := record.Producer{Name: "a\uFFFD", Sent: 1, FirstHeld: 1, FirstSeen: seen, LastSeen: seen}
	requireProducers(t, s, want, silent)

	say(seen.Add(time.Hour), records.ProducerState{Producer: "p", Host: "old", Written: 99, FirstUnstored: 1, At: at})
	requireProducers(t, s, want, silent)

	later := seen.Add(time.Minute)
	say(later, records.ProducerState{Producer: "p", Host: "heir", Written: 6, FirstUnstored: 9, At: at.Add(time.Second)})
	want.Host, want.FirstHeld, want.StoredBelow, want.LastSeen = "heir", 9, 6, later
	requireProducers(t, s, want, silent)

	// The producer's clock was set back.
	later = later.Add(time.Minute)
	say(later, records.ProducerState{Producer: "p", Host: "heir", Written: 12, FirstUnstored: 10, Lost: 2, At: at.Add(-time.Hour)})
	want.Sent, want.FirstHeld, want.Lost, want.StoredBelow, want.LastSeen = 12, 10, 2, 7, later
	requireProducers(t, s, want, silent)
}

// Damaged entries have no sequence number and do not count as stored.
func damagedLetters(t *testing.T, s *store.Store) {
	letter := func(producer string, seq uint64) record.DeadLetter {
		return record.DeadLetter{Entry: records.Entry{Producer: producer, Seq: seq, Record: []byte("x")}, Reason: "damaged"}
	}
	require.NoError(t, s.Insert(t.Context(), record.Batch{
		DeadLetters: []record.DeadLetter{letter("p", 1), letter("p", 0), letter("q", 0)}, Committed: one("p", 1, 1),
	}))
	requireProducers(t, s, record.Producer{Name: "p", HighestSeq: 1, Stored: 1, DeadLetters: 1})
	letters, err := s.DeadLetters(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, letters, 3, "damaged entries are stored as dead letters")
}

func requireProducers(t *testing.T, s *store.Store, want ...record.Producer) {
	t.Helper()
	got, err := s.Completeness(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func gaps(t *testing.T, s *store.Store) {
	for _, r := range []records.Range{{First: 3, Last: 4}, {First: 6, Last: 6}, {First: 9, Last: 12}} {
		require.NoError(t, s.Insert(t.Context(), record.Batch{Committed: one("p", r.First, r.Last)}))
	}
	for _, c := range []struct {
		last int64
		most int
		want []records.Range
	}{
		{20, 100, []records.Range{{First: 1, Last: 2}, {First: 5, Last: 5}, {First: 7, Last: 8}, {First: 13, Last: 20}}},
		{20, 2, []records.Range{{First: 1, Last: 2}, {First: 5, Last: 5}}},
		{7, 100, []records.Range{{First: 1, Last: 2}, {First: 5, Last: 5}, {First: 7, Last: 7}}},
		{0, 100, nil},
	} {
		got, err := s.FindGaps(t.Context(), "p", c.last, c.most)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}

// Two dashboards store the same states.
func twoDashboards(t *testing.T, s *store.Store) {
	var wait sync.WaitGroup
	errs := make([]error, 2)
	for w := range 2 {
		wait.Go(func() {
			for n := range 20 {
				a := records.ProducerState{Producer: "a", Written: uint64(n + 1), At: Base().Add(time.Duration(n) * time.Second)}
				b := a
				b.Producer = "b"
				both := [][]records.ProducerState{{a, b}, {b, a}}
				if err := s.StoreProducerStates(context.Background(), both[w], Base()); err != nil {
					errs[w] = err
				}
			}
		})
	}
	wait.Wait()
	require.Equal(t, []error{nil, nil}, errs)
	got, err := s.Completeness(t.Context())
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.EqualValues(t, []int64{20, 20}, []int64{got[0].Sent, got[1].Sent})
}
