package spool

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/spool/segment"
)

// unsyncable replaces the active segment by a file that can be written but not synced, and returns
// it. A pipe is such a file: fsync fails with EINVAL.
func unsyncable(t *testing.T, s *Spool) *os.File {
	t.Helper()
	s.own.mu.Lock()
	defer s.own.mu.Unlock()
	if s.own.activeFile == nil {
		require.NoError(t, s.own.rotateSegment())
	}
	seg, regular := s.own.segments[len(s.own.segments)-1], s.own.activeFile
	require.NoError(t, os.Remove(seg.path))
	require.NoError(t, syscall.Mkfifo(seg.path, 0o600))
	pipe, err := os.OpenFile(seg.path, os.O_RDWR, 0)
	require.NoError(t, err)
	s.own.activeFile = pipe
	require.NoError(t, regular.Close())
	return pipe
}

// Appended frames are synced while their segment is still active, not only when it is full.
func TestTheActiveSegmentIsSynced(t *testing.T) {
	s, err := Open(config(t, t.TempDir()))
	require.NoError(t, err)
	pipe := unsyncable(t, s)
	require.ErrorIs(t, pipe.Sync(), syscall.EINVAL)
	require.NoError(t, s.End(id(1), withHeadroom([]byte("one"))))
	require.ErrorIs(t, s.own.sync(), syscall.EINVAL)
	require.Eventually(t, func() bool { return s.Stats().SyncFailing }, 10*time.Second, time.Millisecond, "the loop syncs too")
	s.own.mu.Lock()
	require.Same(t, pipe, s.own.activeFile, "it is still active")
	s.own.mu.Unlock()
	crash(s) // a pipe holds nothing that could be shipped
}

// The names of new segments are synced, too, because a file without a name is lost.
func TestTheDirectoryOfANewSegmentIsSynced(t *testing.T) {
	dir := t.TempDir()
	s := open(t, config(t, dir))
	s.own.syncMu.Lock() // the loop waits
	s.own.mu.Lock()
	require.NoError(t, s.own.rotateSegment())
	own := s.own.dir
	s.own.dir = own + "-missing"
	s.own.mu.Unlock()
	s.own.syncMu.Unlock()
	err := s.own.sync()
	require.True(t, errors.Is(err, os.ErrNotExist) || s.Stats().SyncFailing, "here or in the loop")
	s.own.mu.Lock()
	s.own.dir = own
	s.own.mu.Unlock()
	require.NoError(t, segment.SyncDir(own))
}
