package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	// fillingRate is the least rate in requests per second that fills a spool in seconds.
	fillingRate = 30
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
		r.prompt, r.rate = longPrompt, max(*rate, fillingRate)
		from := time.Now()
		r.repeat("Redis is away, the spool fills up", 1, func(e *episode) {
			up := redis.Down()
			require.Eventually(t, r.box.dropsContents, waitTimeout, pollInterval, "the spool is never nearly full")
			e.awaitSuccesses(*rate)
			up()
		})
		require.Positive(t, r.countDropped(from), "the spool was never full")
	})
}

// dropsContents reports whether the spool of the first proxy has dropped contents.
func (b *Gateway) dropsContents() bool {
	res, err := edgeClient.Get("http://" + readProcessEnv(b.pid("proxy-1"), "SIGNALBOX_ADMIN") + "/metrics")
	if err != nil {
		return false
	}
	defer func() { _ = res.Body.Close() }()
	text, _ := io.ReadAll(res.Body)
	return regexp.MustCompile(`(?m)^signalbox_spool_contents_dropped_total\S* [1-9]`).Match(text)
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
