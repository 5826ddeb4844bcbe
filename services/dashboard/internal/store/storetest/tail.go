package storetest

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// tails checks that a reader sees each record of two writers once.
func tails(t *testing.T, s *store.Store) {
	const writers, batches, size = 2, 25, 4
	// The first insert of a day creates its partitions. That fails if it waits too long for
	// locks, which on a busy machine the reader and the other writer may hold.
	insert(t, s, Make("acc", 4999))
	at, err := s.Head(t.Context())
	require.NoError(t, err)
	var wait sync.WaitGroup
	errs := make([]error, writers)
	for w := range writers {
		wait.Go(func() {
			for b := range batches {
				var batch record.Batch
				for n := range size {
					batch.Records = append(batch.Records, Make("acc", (w*batches+b)*size+n))
				}
				// A record of another account, and a repeated one.
				batch.Records = append(batch.Records, Make("other", 5000+w*batches+b), Make("acc", w*batches*size))
				if err := s.Insert(context.Background(), batch); err != nil {
					errs[w] = err
				}
			}
		})
	}
	stored := make(chan struct{})
	go func() { wait.Wait(); close(stored) }()
	seen, done := map[string]int{}, false
	for {
		tail, err := s.Tail(t.Context(), all("acc"), at, 3)
		require.NoError(t, err)
		require.False(t, tail.Gap)
		require.LessOrEqual(t, len(tail.Items), 3)
		for _, item := range tail.Items {
			seen[item.ID.String()]++
			require.Equal(t, 1, seen[item.ID.String()])
			at = item.Position // where a disconnected reader resumes
		}
		if len(tail.Items) == 0 {
			at = tail.Next
			if done {
				break
			}
			select {
			case <-stored:
				done = true
			default:
			}
		}
	}
	require.Equal(t, make([]error, writers), errs)
	require.Len(t, seen, writers*batches*size)
	head, err := s.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, head, at)
}

func tailFilters(t *testing.T, s *store.Store) {
	start, err := s.Head(t.Context())
	require.NoError(t, err)
	odd := Make("acc", 7)
	odd.Model = "odd"
	insert(t, s, Make("acc", 1), Make("acc", 2), odd)
	insert(t, s, Make("acc", 3))
	head, err := s.Head(t.Context())
	require.NoError(t, err)
	tail, err := s.Tail(t.Context(), filter(t, "acc", "model:odd"), start, 100)
	require.NoError(t, err)
	require.Len(t, tail.Items, 1)
	require.Equal(t, odd.ID, tail.Items[0].ID)
	require.Equal(t, head, tail.Next)

	first, err := s.Tail(t.Context(), filter(t, "acc", "model:odd"), start, 2)
	require.NoError(t, err)
	require.Empty(t, first.Items)
	rest, err := s.Tail(t.Context(), filter(t, "acc", "model:odd"), first.Next, 2)
	require.NoError(t, err)
	require.Len(t, rest.Items, 1)

	for _, p := range []record.Position{{}, {Commit: head.Commit + 1}} {
		tail, err = s.Tail(t.Context(), all("acc"), p, 10)
		require.NoError(t, err)
		require.True(t, tail.Gap, p)
		require.Equal(t, head, tail.Next)
	}
}
