package spool

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
)

// ownDiskEnv marks a process that runs a test with its own mounts.
const ownDiskEnv = "SPOOL_TEST_OWN_DISK"

// noMounts is the exit code of that process if it is not allowed to mount.
const noMounts = 77

// onDisk runs a test with its own disk, a tmpfs with the given options, in a process
// with a private mount namespace. A call of mend remounts it with other options. If
// mounts are not allowed, a limit on the file size simulates the full disk.
func onDisk(t *testing.T, options, mended string, limit uint64, test func(t *testing.T, c Config, mend func())) {
	if os.Getenv(ownDiskEnv) != "" {
		c, mend := mounted(t, options, mended)
		test(t, c, mend)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), ownDiskEnv+"=1")
	cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	err := cmd.Run()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == noMounts {
		t.Log("no mounts here, files are limited instead:", err)
		c := config(t, t.TempDir())
		c.SegmentBytes = maxSegmentBytes
		test(t, c, limitFiles(t, limit))
		return
	}
	require.NoError(t, err)
}

func mounted(t *testing.T, options, mended string) (c Config, mend func()) {
	dir := t.TempDir()
	err := errors.Join(
		syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""),
		syscall.Mount("tmpfs", dir, "tmpfs", flags(options), size(options)))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(noMounts)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	c = config(t, filepath.Join(dir, "spool"))
	c.SegmentBytes = 128 << 10
	return c, func() {
		require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|flags(mended), size(mended)))
	}
}

func flags(options string) uintptr {
	if strings.Contains(options, "ro") {
		return syscall.MS_RDONLY
	}
	return 0
}

func size(options string) string {
	if i := strings.Index(options, "size="); i >= 0 {
		return options[i:]
	}
	return ""
}

// The store is unavailable and the disk fills up. Bodies are dropped, metadata stays,
// and when nothing more fits, requests are refused before they begin.
func TestFullDiskLosesNoMetadata(t *testing.T) {
	onDisk(t, "size=2m", "size=64m", 1<<20, func(t *testing.T, c Config, mend func()) {
		c.MaxMemoryBytes = 256 << 10
		s := open(t, c)
		before := heap()
		const early = 100
		for i := range early {
			require.NoError(t, s.Start(id(i), withHeadroom([]byte("early"))))
		}
		n := early
		for ; ; n++ {
			err := s.Start(id(n), withHeadroom([]byte("start")))
			if errors.Is(err, ErrFull) {
				break
			}
			require.NoError(t, s.End(id(n), withHeadroom(fullText(n))))
			if n%100 == 0 {
				require.NoError(t, ignoreFull(s.reclaimSpace())) // at the pace of this test
			}
			require.Less(t, n, 100_000, "it is never full")
		}
		if os.Getenv(ownDiskEnv) != "" {
			require.Greater(t, n, 3000, "bodies of older records made room")
		}
		st := s.Stats()
		require.True(t, st.DiskFailing)
		require.Equal(t, Shedding, st.Level)
		require.Positive(t, st.DroppedBodies)
		for i := range early {
			require.NoError(t, s.End(id(i), withHeadroom(fullText(i))), "what began is recorded")
		}
		require.Less(t, heap()-before, int64(4<<20), "memory is bounded")

		mend()
		require.Eventually(t, func() bool { return !s.Stats().DiskFailing }, 10*time.Second, time.Millisecond)
		require.NoError(t, s.End(id(n), withHeadroom(fullText(n))))
		requireMetadata(t, s, n+1)
	})
}

func fullText(n int) []byte { return fmt.Appendf(nil, "record %06d%s", n, body) }

func ignoreFull(err error) error {
	if isTemporaryDiskError(err) {
		return nil
	}
	return err
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// requireMetadata ships everything and requires n records, each once.
func requireMetadata(t *testing.T, s *Spool, n int) {
	t.Helper()
	store, mem := newLedger(), records.NewMemory()
	stop := ship(t, s, mem, mem, store)
	flush(t, s)
	stop()
	texts := store.texts()
	require.Len(t, texts, n)
	for i, text := range texts {
		meta, _, _ := strings.Cut(text, "|")
		require.Equal(t, fmt.Sprintf("record %06d", i), meta)
	}
	require.NoError(t, s.Close())
}

// The disk may have space for a record without its body.
func TestCloseWritesWithoutBodiesWhereThereIsNoRoom(t *testing.T) {
	onDisk(t, "size=64k", "size=64m", 500, func(t *testing.T, c Config, mend func()) {
		s := open(t, c)
		filler := filepath.Join(c.Dir, "filler")
		require.Error(t, os.WriteFile(filler, make([]byte, 128<<10), 0o600))
		if os.Getenv(ownDiskEnv) != "" {
			require.NoError(t, os.Truncate(filler, 40<<10))
		}
		require.NoError(t, s.End(id(1), withHeadroom([]byte("record|"+strings.Repeat("body ", 10<<10)))))
		require.Equal(t, 1, s.queued())
		require.NoError(t, s.Close())
		mend()
		require.NoError(t, os.Remove(filler))
		require.Equal(t, []string{"record"}, shipAll(t, c, newLedger()))
	})
}

func TestReadOnlyDiskIsSurvived(t *testing.T) {
	onDisk(t, "ro", "", 0, func(t *testing.T, c Config, mend func()) {
		idle, s := open(t, c), open(t, c)
		store, mem := newLedger(), records.NewMemory()
		defer ship(t, s, mem, mem, store)()
		err := s.Start(id(1), withHeadroom([]byte("start")))
		require.Error(t, err)
		require.NotErrorIs(t, err, ErrFull)
		require.NoError(t, s.End(id(1), withHeadroom([]byte("in memory"))))
		flush(t, s)
		require.Equal(t, []string{"in memory"}, store.texts(), "straight to the carrier")
		require.True(t, s.Stats().DiskFailing)

		mend()
		require.Eventually(t, func() bool { return !s.Stats().DiskFailing }, 10*time.Second, time.Millisecond)
		require.NoError(t, s.Start(id(2), withHeadroom([]byte("start"))))
		require.NoError(t, s.End(id(2), withHeadroom([]byte("on the disk"))))
		require.Len(t, segmentsOf(t, c.Dir, s.own.producer), 1)
		require.Eventually(t, func() bool { return !idle.Stats().DiskFailing }, 10*time.Second, time.Millisecond)
		require.NoError(t, idle.Close())
		flush(t, s)
		require.Equal(t, []string{"in memory", "on the disk"}, store.texts())
		require.NoError(t, s.Close())
		require.Empty(t, names(t, c.Dir))
	})
}
