package e2e

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	// leastSpool is the minimum spool size that the setting accepts.
	leastSpool = 16 << 20
	longPrompt = 60 << 10
)

// TestChaosSpool fills the disk of a proxy's spool, and the spool itself while Redis
// is unavailable.
func TestChaosSpool(t *testing.T) {
	t.Parallel()
	data, redis := t.TempDir(), newRedis(t)
	small := newDisk(t, "32m", filepath.Join(data, "proxy-1"))
	r := newRig(t, StartSplit, "--proxies", "1", "--data", data, "--redis", redis.url,
		"--set", fmt.Sprintf("SIGNALBOX_SPOOL_BYTES=%d", leastSpool))
	t.Run("disk full", func(t *testing.T) {
		r.useTest(t)
		r.repeat("the spool's disk is full", 1, func(e *episode) {
			e.lasts(small.fill(r.box.running("proxy-1")))
		})
	})
	t.Run("spool full", func(t *testing.T) {
		r.useTest(t)
		r.prompt = longPrompt
		from := time.Now()
		r.repeat("Redis is away, the spool fills up", 1, func(e *episode) {
			up := redis.Down()
			e.awaitSuccesses(2 * leastSpool / longPrompt)
			up()
		})
		require.Positive(t, r.countDropped(from), "the spool was never full")
	})
}

// countDropped counts the records since a time whose captured text was dropped.
func (r *rig) countDropped(since time.Time) int {
	r.t.Helper()
	n := 0
	for _, a := range r.accounts {
		body, err := a.get("/requests/export?format=ndjson&from=" + url.QueryEscape(since.UTC().Format(time.RFC3339Nano)))
		require.NoError(r.t, err)
		n += bytes.Count(body, []byte(`"capture":"dropped"`))
	}
	return n
}

// disk is a directory that can be filled up.
type disk struct {
	t   *testing.T
	dir string
	// mounted means that it is a separate file system, which only root can create.
	mounted bool
}

func newDisk(t *testing.T, size, dir string) *disk {
	t.Helper()
	d := &disk{t: t, dir: dir}
	require.NoError(t, os.Mkdir(dir, 0o700))
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size)
	if d.mounted = err == nil; d.mounted {
		t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	}
	return d
}

// fill fills the disk to the last byte. If it is not a separate file system, it
// forbids the process to write instead.
func (d *disk) fill(pid int) (free func()) {
	d.t.Helper()
	if !d.mounted {
		d.limit(pid, "0:")
		return func() { d.limit(pid, "unlimited:") }
	}
	ballast := filepath.Join(d.dir, "ballast")
	require.ErrorIs(d.t, exhaust(ballast), syscall.ENOSPC)
	return func() { require.NoError(d.t, os.Remove(ballast)) }
}

// limit sets the maximum file size of a process.
func (d *disk) limit(pid int, size string) {
	d.t.Helper()
	out, err := exec.CommandContext(d.t.Context(), "prlimit", "--pid", strconv.Itoa(pid), "--fsize="+size).CombinedOutput()
	require.NoError(d.t, err, string(out))
}

// exhaust writes until not even one more byte fits.
func exhaust(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	for size := 1 << 20; size > 0; {
		if _, err = f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	return err
}
