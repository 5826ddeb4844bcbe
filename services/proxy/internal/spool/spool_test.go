package spool

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/services/proxy/internal/spool/segment"
)

func flush(t testing.TB, s *Spool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	require.NoError(t, s.Flush(ctx))
}

func TestRecordsAreShippedCommittedAndFreed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, mem, store := t.TempDir(), records.NewMemory(), newLedger()
		c := config(t, dir)
		c.SegmentBytes = 8 << 10
		s := open(t, c)
		defer ship(t, s, mem, mem, store)()

		const n = 300
		var want []string
		var wg sync.WaitGroup
		for i := range n {
			text := fmt.Sprintf("record %03d", i)
			want = append(want, text)
			wg.Go(func() {
				require.NoError(t, s.Start(id(i), withHeadroom([]byte("start"))))
				require.NoError(t, s.End(id(i), withHeadroom([]byte(text))))
			})
		}
		wg.Wait()
		flush(t, s)
		require.Equal(t, want, store.texts())
		for seq := range uint64(n) {
			require.Equal(t, 1, store.count[rowKey{s.own.producer, seq + 1}], "numbers have no gaps")
		}

		st := s.Stats()
		require.Equal(t, uint64(n), st.Written)
		require.Equal(t, uint64(n), st.Committed)
		require.Zero(t, st.OpenRequests)
		require.Len(t, segmentsOf(t, dir, s.own.producer), 1, "all but the active segment are freed")

		require.NoError(t, s.Close())
		require.Empty(t, names(t, dir), "nothing is left of a spool that was shipped")
		require.ErrorIs(t, s.Start(id(1), withHeadroom(nil)), ErrClosed)
		require.ErrorIs(t, s.End(id(1), withHeadroom(nil)), ErrClosed)
	})
}

func TestOpenRequestKeepsItsSegment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, mem, store := t.TempDir(), records.NewMemory(), newLedger()
		c := config(t, dir)
		c.SegmentBytes = 1 // every frame in a segment of its own
		s := open(t, c)
		defer ship(t, s, mem, mem, store)()
		require.NoError(t, s.Start(id(0), withHeadroom([]byte("long enough to be most of it"))))
		require.NoError(t, s.End(id(1), withHeadroom([]byte("short"))))
		flush(t, s)
		require.Len(t, segmentsOf(t, dir, s.own.producer), 2)
		require.Equal(t, 1, s.Stats().OpenRequests)

		require.NoError(t, s.End(id(0), withHeadroom([]byte("long at last"))))
		flush(t, s)
		require.Len(t, segmentsOf(t, dir, s.own.producer), 1)
		require.Len(t, store.texts(), 2)
	})
}

func TestStartIsKeptUntilItsRecordIsCommitted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		pub, store := &flaky{Memory: records.NewMemory(), lose: true}, newLedger()
		c := config(t, dir)
		c.SegmentBytes = 1
		s := open(t, c)
		defer ship(t, s, pub, pub, store)()
		write(t, s, 0, 1)
		<-time.After(time.Second)
		require.Len(t, segmentsOf(t, dir, s.own.producer), 2)
	})
}

func TestTwoSpoolsAreKeptApart(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, config(t, dir)), open(t, config(t, dir))
	require.NotEqual(t, a.own.producer, b.own.producer)
	require.Zero(t, b.adopted(), "a living spool is not adopted")
	require.NoError(t, a.Start(id(1), withHeadroom(nil)))
	require.NoError(t, a.End(id(1), withHeadroom([]byte("of a"))))
	require.NoError(t, b.Close())
	require.Len(t, segmentsOf(t, dir, a.own.producer), 1)
	require.NoError(t, a.Close())
	require.Equal(t, 1, open(t, config(t, dir)).adopted(), "a closed one with records is")
}

func TestPayloadIsCapped(t *testing.T) {
	s := open(t, config(t, t.TempDir()))
	require.ErrorIs(t, s.Start(id(1), withHeadroom(make([]byte, segment.MaxPayload+1))), ErrTooLong)
	require.ErrorIs(t, s.End(id(1), withHeadroom(make([]byte, segment.MaxPayload+1))), ErrTooLong)
	require.NoError(t, s.End(id(1), withHeadroom(make([]byte, segment.MaxPayload))))
}

func TestRecordThatIsTooLongMayBeShortened(t *testing.T) {
	s := open(t, config(t, t.TempDir()))
	require.NoError(t, s.Start(id(1), withHeadroom([]byte("start"))))
	require.ErrorIs(t, s.End(id(1), withHeadroom(make([]byte, segment.MaxPayload+1))), ErrTooLong)
	require.Equal(t, 1, s.Stats().OpenRequests)
	require.NoError(t, s.End(id(1), withHeadroom([]byte("shorter"))))
	st := s.Stats()
	require.Zero(t, st.OpenRequests)
	require.Zero(t, st.WithoutRecord)
	require.Equal(t, uint64(1), st.Written)
}

func TestForgottenRequestKeepsNoFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, mem, store := t.TempDir(), records.NewMemory(), newLedger()
		c := config(t, dir)
		c.SegmentBytes = 1
		s := open(t, c)
		defer ship(t, s, mem, mem, store)()
		require.NoError(t, s.Start(id(1), withHeadroom([]byte("start"))))
		s.Forget(id(1))
		s.Forget(id(2)) // refused before it began
		st := s.Stats()
		require.Zero(t, st.OpenRequests)
		require.Equal(t, uint64(2), st.WithoutRecord)
		want := write(t, s, 2, 4)
		flush(t, s)
		require.Len(t, segmentsOf(t, dir, s.own.producer), 1)
		require.Equal(t, want, store.texts())
	})
}

// If a process dies before the file of the START is deleted, the next start handles
// the request.
func TestForgottenRequestOfAKilledProcessIsRecorded(t *testing.T) {
	c := config(t, t.TempDir())
	s := open(t, c)
	require.NoError(t, s.Start(id(1), withHeadroom([]byte("start"))))
	s.Forget(id(1))
	crash(s)
	require.Equal(t, []string{"aborted start"}, shipAll(t, c, newLedger()))
}

// A request that outlives the spool cannot be recorded by it, but its START remains
// for the next start.
func TestForgettingAfterCloseChangesNothing(t *testing.T) {
	c := config(t, t.TempDir())
	s := open(t, c)
	require.NoError(t, s.Start(id(1), withHeadroom([]byte("start"))))
	s.own.mu.Lock()
	s.own.closed = true // as Close does before it looks what is left
	s.own.mu.Unlock()
	require.ErrorIs(t, s.End(id(1), withHeadroom([]byte("end"))), ErrClosed)
	s.Forget(id(1))
	require.Zero(t, s.Stats().WithoutRecord)
	require.NoError(t, s.Close())
	require.Equal(t, []string{"aborted start"}, shipAll(t, c, newLedger()))
}

func TestOpenNamesWhatIsMissing(t *testing.T) {
	_, err := Open(Config{})
	require.ErrorContains(t, err, "Strip")
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = Open(config(t, file))
	require.Error(t, err)
}

// A request is listed from its START frame to its record, also if the record waits in memory.
func TestRunningRequests(t *testing.T) {
	c := config(t, t.TempDir())
	c.SegmentBytes = 1 << 10
	s := open(t, c)
	for n := range 3 {
		require.NoError(t, s.Start(id(n), withHeadroom(bytes.Repeat([]byte{byte(n)}, 800)))) // one segment each
	}
	require.Empty(t, s.ListRunning(time.UnixMilli(0)), "none is older than that")
	require.Equal(t, [][16]byte{id(0), id(1), id(2)}, s.ListRunning(time.Now()))
	for n := range 3 {
		start, err := s.ReadStart(id(n))
		require.NoError(t, err)
		require.Equal(t, bytes.Repeat([]byte{byte(n)}, 800), start)
	}
	require.NoError(t, s.End(id(1), withHeadroom([]byte("record"))))
	require.NoError(t, s.queue.add(id(2), []byte("record"), 1<<20))
	require.Equal(t, [][16]byte{id(0)}, s.ListRunning(time.Now()))
	_, err := s.ReadStart(id(1))
	require.Error(t, err)
}
