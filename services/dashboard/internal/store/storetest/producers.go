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
	say := func(seen time.Time, states ...records.State) {
		require.NoError(t, s.Report(t.Context(), states, seen))
	}
	say(seen, records.State{Producer: "p", Host: "h", Written: 10, Held: 7, Lost: 1, Refused: 2, At: at},
		records.State{Producer: "a\x00", Written: 1, Held: 1, At: at})
	require.NoError(t, s.Insert(t.Context(), record.Batch{Committed: one("p", 1, 5)}))
	require.NoError(t, s.Insert(t.Context(), record.Batch{Committed: one("p", 8, 9)}))
	want := record.Producer{
		Name: "p", Host: "h", Highest: 9, Stored: 7, StoredBelow: 5, Sent: 10, Held: 7, Lost: 1, Refused: 2, FirstSeen: seen, LastSeen: seen,
	}
	silent := record.Producer{Name: "a\uFFFD", Sent: 1, Held: 1, FirstSeen: seen, LastSeen: seen}
	requireProducers(t, s, want, silent)

	say(seen.Add(time.Hour), records.State{Producer: "p", Host: "old", Written: 99, Held: 1, At: at})
	requireProducers(t, s, want, silent)

	later := seen.Add(time.Minute)
	say(later, records.State{Producer: "p", Host: "heir", Written: 6, Held: 9, At: at.Add(time.Second)})
	want.Host, want.Held, want.StoredBelow, want.LastSeen = "heir", 9, 6, later
	requireProducers(t, s, want, silent)

	// Its clock was set back.
	later = later.Add(time.Minute)
	say(later, records.State{Producer: "p", Host: "heir", Written: 12, Held: 10, Lost: 2, At: at.Add(-time.Hour)})
	want.Sent, want.Held, want.Lost, want.StoredBelow, want.LastSeen = 12, 10, 2, 7, later
	requireProducers(t, s, want, silent)
}

// What arrived damaged has no number and is not among the stored.
func damagedLetters(t *testing.T, s *store.Store) {
	letter := func(producer string, seq uint64) record.DeadLetter {
		return record.DeadLetter{Entry: records.Entry{Producer: producer, Seq: seq, Record: []byte("x")}, Reason: "damaged"}
	}
	require.NoError(t, s.Insert(t.Context(), record.Batch{
		Dead: []record.DeadLetter{letter("p", 1), letter("p", 0), letter("q", 0)}, Committed: one("p", 1, 1),
	}))
	requireProducers(t, s, record.Producer{Name: "p", Highest: 1, Stored: 1, DeadLetters: 1})
	letters, err := s.DeadLetters(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, letters, 3, "they are kept all the same")
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
		got, err := s.Gaps(t.Context(), "p", c.last, c.most)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}

// Two dashboards hear the same producers.
func twoListeners(t *testing.T, s *store.Store) {
	var wait sync.WaitGroup
	errs := make([]error, 2)
	for w := range 2 {
		wait.Go(func() {
			for n := range 20 {
				a := records.State{Producer: "a", Written: uint64(n + 1), At: Base().Add(time.Duration(n) * time.Second)}
				b := a
				b.Producer = "b"
				both := [][]records.State{{a, b}, {b, a}}
				if err := s.Report(context.Background(), both[w], Base()); err != nil {
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
