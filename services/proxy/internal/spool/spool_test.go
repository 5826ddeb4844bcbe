package spool

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
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
				require.NoError(t, s.Start(id(i), []byte("start")))
				require.NoError(t, s.End(id(i), []byte(text)))
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
		require.Zero(t, st.Open)
		require.Equal(t, 1, st.Segments, "all but the active segment are freed")
		require.Len(t, segmentsOf(t, dir, s.own.producer), 1)

		require.NoError(t, s.Close())
		require.Empty(t, names(t, dir), "nothing is left of a spool that was shipped")
		require.ErrorIs(t, s.Start(id(1), nil), ErrClosed)
		require.ErrorIs(t, s.End(id(1), nil), ErrClosed)
	})
}

func TestOpenRequestKeepsItsSegment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, mem, store := t.TempDir(), records.NewMemory(), newLedger()
		c := config(t, dir)
		c.SegmentBytes = 1 // every frame in a segment of its own
		s := open(t, c)
		defer ship(t, s, mem, mem, store)()
		require.NoError(t, s.Start(id(0), []byte("long")))
		for i := 1; i <= 5; i++ {
			require.NoError(t, s.End(id(i), []byte("short")))
		}
		flush(t, s)
		require.Len(t, segmentsOf(t, dir, s.own.producer), 6)
		require.Equal(t, 1, s.Stats().Open)

		require.NoError(t, s.End(id(0), []byte("long at last")))
		flush(t, s)
		require.Len(t, segmentsOf(t, dir, s.own.producer), 1)
		require.Len(t, store.texts(), 6)
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
	require.Zero(t, b.Stats().Adopted, "a living spool is not adopted")
	require.NoError(t, a.Start(id(1), nil))
	require.NoError(t, a.End(id(1), []byte("of a")))
	require.NoError(t, b.Close())
	require.Len(t, segmentsOf(t, dir, a.own.producer), 1)
	require.NoError(t, a.Close())
	require.Equal(t, 1, open(t, config(t, dir)).Stats().Adopted, "a closed one with records is")
}

func TestFullDiskLosesNothingWhileTheProcessLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, mem, store := t.TempDir(), records.NewMemory(), newLedger()
		c := config(t, dir)
		c.MemoryBytes = 100
		s := open(t, c)
		require.NoError(t, s.Start(id(1), []byte("before")))
		mend := fillDisk(t, s)

		require.Error(t, s.Start(id(2), []byte("refused")))
		require.NoError(t, s.End(id(1), []byte("kept in memory")))
		require.NoError(t, s.End(id(3), []byte("kept in memory too")))
		require.Error(t, s.End(id(4), []byte(strings.Repeat("x", 100))), "the memory is bounded")
		st := s.Stats()
		require.True(t, st.DiskFailing)
		require.Equal(t, 2, st.Queued)
		require.Equal(t, 1, st.Open, "the store does not have it yet")

		stop := ship(t, s, mem, mem, store)
		flush(t, s)
		require.NoError(t, s.End(id(6), []byte("wakes the shipper")))
		flush(t, s)
		stop()
		require.Equal(t, []string{"kept in memory", "kept in memory too", "wakes the shipper"}, store.texts())
		st = s.Stats()
		require.Zero(t, st.Queued)
		require.Zero(t, st.Open)
		require.Equal(t, uint64(3), st.Committed)

		mend()
		require.NoError(t, s.End(id(5), []byte("on the disk again")))
		require.False(t, s.Stats().DiskFailing)
	})
}

func TestCloseWritesWhatWaitsInMemory(t *testing.T) {
	dir, mem, store := t.TempDir(), records.NewMemory(), newLedger()
	s := open(t, config(t, dir))
	mend := fillDisk(t, s)
	require.NoError(t, s.End(id(1), []byte("waits")))
	mend()
	require.NoError(t, s.Close())

	next := open(t, config(t, dir))
	defer ship(t, next, mem, mem, store)()
	require.Eventually(t, func() bool { return next.Stats().Adopted == 0 }, 10*time.Second, time.Millisecond)
	require.Equal(t, []string{"waits"}, store.texts())
}

// fillDisk makes every append fail for want of space until mend is called.
func fillDisk(t *testing.T, s *Spool) (mend func()) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	require.NoError(t, err)
	s.own.mu.Lock()
	defer s.own.mu.Unlock()
	old, dir := s.own.file, s.own.dir
	s.own.file, s.own.dir = full, filepath.Join(dir, "missing")
	return func() {
		s.own.mu.Lock()
		defer s.own.mu.Unlock()
		s.own.file, s.own.dir, s.own.retired = old, dir, nil
		full.Close() // the sync may have done so
	}
}

func TestPartOfAFrameIsCutOff(t *testing.T) {
	dir := t.TempDir()
	s := open(t, config(t, dir))
	require.NoError(t, s.End(id(1), []byte("one")))
	s.own.mu.Lock()
	seg := s.own.segments[0]
	s.own.mu.Unlock()
	whole := seg.size

	lift := limitFiles(t, uint64(whole+10))
	err := s.Start(id(2), []byte("two"))
	lift()
	require.ErrorIs(t, err, syscall.EFBIG)
	info, err := os.Stat(seg.path)
	require.NoError(t, err)
	require.Equal(t, whole, info.Size(), "the ten bytes are gone again")
	require.NoError(t, s.End(id(3), []byte("three")))
	require.Equal(t, []mark{{1, 0}, {2, whole}}, seg.marks)
}

// limitFiles lets no file of this process grow beyond n bytes.
func limitFiles(t *testing.T, n uint64) (lift func()) {
	signal.Ignore(syscall.SIGXFSZ)
	var old syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: old.Max}))
	return func() {
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old))
		signal.Reset(syscall.SIGXFSZ)
	}
}

func TestFileThatCannotBeCutGetsNoMore(t *testing.T) {
	dir := t.TempDir()
	s := open(t, config(t, dir))
	path := segmentsOf(t, dir, s.own.producer)[0]
	readOnly, err := os.Open(path)
	require.NoError(t, err)
	s.own.mu.Lock()
	writable := s.own.file
	s.own.file = readOnly
	s.own.mu.Unlock()
	require.Error(t, s.Start(id(1), []byte("one")))
	require.NoError(t, s.Start(id(2), []byte("two")))
	require.Len(t, segmentsOf(t, dir, s.own.producer), 2)
	require.NoError(t, writable.Close())
}

func TestPayloadIsCapped(t *testing.T) {
	s := open(t, config(t, t.TempDir()))
	require.ErrorIs(t, s.Start(id(1), make([]byte, maxPayload+1)), ErrTooLong)
	require.ErrorIs(t, s.End(id(1), make([]byte, maxPayload+1)), ErrTooLong)
	require.NoError(t, s.End(id(1), make([]byte, maxPayload)))
}

func TestOpenNamesWhatIsMissing(t *testing.T) {
	_, err := Open(Config{})
	require.ErrorContains(t, err, "Recover")
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = Open(config(t, file))
	require.Error(t, err)
}
