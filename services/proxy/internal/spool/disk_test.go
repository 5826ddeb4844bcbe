package spool

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/services/proxy/internal/spool/segment"
)

func TestFullDiskLosesNothingWhileTheProcessLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, mem, store := t.TempDir(), records.NewMemory(), newLedger()
		c := config(t, dir)
		c.MaxMemoryBytes = 100
		s := open(t, c)
		require.NoError(t, s.Start(id(1), withHeadroom([]byte("before"))))
		mend := fillDisk(t, s)

		require.Error(t, s.Start(id(2), withHeadroom([]byte("refused"))))
		require.NoError(t, s.End(id(1), withHeadroom([]byte("kept in memory"))))
		require.NoError(t, s.End(id(3), withHeadroom([]byte("kept in memory too"))))
		require.Error(t, s.End(id(4), withHeadroom([]byte(strings.Repeat("x", 100)))), "the memory is bounded")
		st := s.Stats()
		require.True(t, st.DiskFailing)
		require.Equal(t, 2, s.queued())
		require.Equal(t, 1, st.OpenRequests, "the store does not have it yet")

		stop := ship(t, s, mem, mem, store)
		flush(t, s)
		require.NoError(t, s.End(id(6), withHeadroom([]byte("wakes the shipper"))))
		flush(t, s)
		stop()
		require.Equal(t, []string{"kept in memory", "kept in memory too", "wakes the shipper"}, store.texts())
		st = s.Stats()
		require.Zero(t, s.queued())
		require.Zero(t, st.OpenRequests)
		require.Equal(t, uint64(3), st.Committed)

		mend()
		require.NoError(t, s.End(id(5), withHeadroom([]byte("on the disk again"))))
		require.False(t, s.Stats().DiskFailing)
	})
}

func TestDiskIsTriedUntilItTakesFramesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s := open(t, config(t, dir))
		write(t, s, 0, 1)
		<-time.After(time.Second)
		mend := fillDisk(t, s)
		require.Error(t, s.Start(id(1), withHeadroom([]byte("refused"))))
		<-time.After(5 * time.Second)
		require.True(t, s.Stats().DiskFailing)
		mend()
		<-time.After(2 * probeInterval)
		require.False(t, s.Stats().DiskFailing, "though nothing was appended")

		write(t, s, 1, 2)
		require.NoError(t, s.Close())
		var frames int
		data, err := os.ReadFile(segmentsOf(t, dir, s.own.producer)[0])
		require.NoError(t, err)
		bad, tail := segment.Scan(s.own.checksumSeed, data, func(int, segment.Frame) { frames++ })
		require.Empty(t, bad, "trying leaves no trace")
		require.Zero(t, tail)
		require.Equal(t, 4, frames)
		require.Equal(t, int64(len(data)), s.Stats().Bytes)
	})
}

// A request whose record was refused must not keep the file of its START, and with it
// all later files, forever.
func TestRefusedRecordKeepsNoFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, mem, store := t.TempDir(), records.NewMemory(), newLedger()
		c := config(t, dir)
		c.MaxMemoryBytes, c.SegmentBytes = 10, 1
		s := open(t, c)
		defer ship(t, s, mem, mem, store)()
		require.NoError(t, s.Start(id(1), withHeadroom([]byte("before"))))
		mend := fillDisk(t, s)
		require.Error(t, s.End(id(1), withHeadroom([]byte("more than ten bytes"))))
		require.Equal(t, 1, s.Stats().OpenRequests, "it may be tried with less")
		s.Forget(id(1))
		mend()
		st := s.Stats()
		require.Zero(t, st.OpenRequests)
		require.Equal(t, uint64(1), st.Refused)
		want := write(t, s, 2, 4)
		flush(t, s)
		require.Len(t, segmentsOf(t, dir, s.own.producer), 1)
		require.NoError(t, s.Close())
		require.Empty(t, names(t, dir), "nor does the next start find it")
		require.Equal(t, want, store.texts())
	})
}

func TestCloseWritesWhatWaitsInMemory(t *testing.T) {
	dir, mem, store := t.TempDir(), records.NewMemory(), newLedger()
	s := open(t, config(t, dir))
	mend := fillDisk(t, s)
	require.NoError(t, s.End(id(1), withHeadroom([]byte("waits"))))
	mend()
	require.NoError(t, s.Close())
	require.Error(t, s.queue.add(id(2), []byte("nobody would write it"), 1<<20))

	next := open(t, config(t, dir))
	defer ship(t, next, mem, mem, store)()
	require.Eventually(t, func() bool { return next.adopted() == 0 }, 10*time.Second, time.Millisecond)
	require.Equal(t, []string{"waits"}, store.texts())
}

// fillDisk makes every append fail for lack of space until mend is called.
func fillDisk(t *testing.T, s *Spool) (mend func()) {
	s.own.mu.Lock()
	defer s.own.mu.Unlock()
	if s.own.activeFile == nil {
		require.NoError(t, s.own.rotateSegment())
	}
	old, dir, last := s.own.activeFile, s.own.dir, s.own.segments[len(s.own.segments)-1]
	full, err := os.Open(last.path) // to be read only
	require.NoError(t, err)
	s.own.activeFile, s.own.dir = full, filepath.Join(dir, "missing")
	return func() {
		s.own.mu.Lock()
		defer s.own.mu.Unlock()
		s.own.activeFile, s.own.dir, s.own.retired = old, dir, nil
		full.Close()                                // the sync may have done so
		if !slices.Contains(s.own.segments, last) { // it was freed meanwhile
			s.own.activeFile = nil
			old.Close()
		}
	}
}

func TestPartOfAFrameIsCutOff(t *testing.T) {
	dir := t.TempDir()
	s := open(t, config(t, dir))
	require.NoError(t, s.End(id(1), withHeadroom([]byte("one"))))
	s.own.mu.Lock()
	seg := s.own.segments[0]
	s.own.mu.Unlock()
	whole := seg.size

	lift := limitFiles(t, uint64(whole+10))
	err := s.Start(id(2), withHeadroom([]byte("two")))
	lift()
	require.ErrorIs(t, err, syscall.EFBIG)
	info, err := os.Stat(seg.path)
	require.NoError(t, err)
	require.Equal(t, whole, info.Size(), "the ten bytes are gone again")
	require.NoError(t, s.End(id(3), withHeadroom([]byte("three"))))
	require.Len(t, seg.ends, 2)
	require.Equal(t, whole, seg.ends[1].offset)
}

// limitFiles prevents files of this process from growing beyond n bytes.
func limitFiles(t *testing.T, n uint64) (lift func()) {
	var old syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: old.Max}))
	return func() {
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old))
	}
}

func TestFileThatCannotBeCutGetsNoMore(t *testing.T) {
	dir := t.TempDir()
	s := open(t, config(t, dir))
	path := segmentsOf(t, dir, s.own.producer)[0]
	readOnly, err := os.Open(path)
	require.NoError(t, err)
	s.own.mu.Lock()
	writable := s.own.activeFile
	s.own.activeFile = readOnly
	s.own.mu.Unlock()
	require.Error(t, s.Start(id(1), withHeadroom([]byte("one"))))
	require.NoError(t, s.Start(id(2), withHeadroom([]byte("two"))))
	require.Len(t, segmentsOf(t, dir, s.own.producer), 2)
	require.NoError(t, writable.Close())
}
